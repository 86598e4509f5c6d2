import { ArtifactLibrary } from "../../../api/artifacts/artifact-library.ts";
import { SourceTraces } from "../../artifacts/source-traces.ts";
import { ledger } from "../chain/ledger.ts";
import { development } from "../development.ts";
import { part } from "../part.ts";
import { budget } from "./budget.ts";

/** What compilers tell of the contracts of a development chain, where it is said where to look. */
export const artifacts = part({
  name: "artifacts",
  needs: { budget, development, ledger },
  start({ budget, development, ledger }, { options, runtime, logger }) {
    const { artifacts } = options;
    if (artifacts === undefined || development === undefined) return { offers: undefined };
    const now = () => runtime.clock.elapsed();
    const log = logger.child("artifacts");
    const library = new ArtifactLibrary({
      ...{ folders: artifacts.folders, now, pace: budget.slice },
      onRefused: (path, { code, message }) =>
        log.warn("a file of artifacts is passed over", { path, code, message }),
    });
    const offers = new SourceTraces({
      ...{ library, now, inErrors: artifacts.inErrors ?? true },
      state: () => ledger.chain.latestState(),
    });
    return { offers };
  },
});
