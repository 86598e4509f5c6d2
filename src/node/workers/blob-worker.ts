import { createBlobChecker } from "./blob-checker.ts";
import { serveJobs } from "./serve-jobs.ts";

// Receives payloads of `blobPayload`, returns verdicts.
serveJobs(createBlobChecker());
