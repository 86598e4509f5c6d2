import { createBlobChecker } from "./blob-checker.ts";
import { serveJobs } from "./serve-jobs.ts";

// Payloads of `blobPayload` in, verdicts out.
serveJobs(createBlobChecker());
