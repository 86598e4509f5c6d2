import { ledger } from "../chain/ledger.ts";
import { development } from "../development.ts";
import { part } from "../part.ts";
import { budget } from "./budget.ts";

/** The compiler artifacts of a development chain, if configured. */
export const artifacts = part({
  name: "artifacts",
  needs: { budget, development, ledger },
  async start({ budget, development, ledger }, { options, runtime, logger }) {
    const { artifacts } = options;
    if (artifacts === undefined || development === undefined) return { offers: undefined };
    const [{ ArtifactLibrary }, { SourceTraces }] = await Promise.all([
      import("../../../api/artifacts/artifact-library.ts"),
      import("../../service/artifacts/source-traces.ts"),
    ]);
    const now = () => runtime.clock.elapsed();
    const log = logger.child("artifacts");
    const library = new ArtifactLibrary({
      ...{ folders: artifacts.folders, now, pace: budget.slice },
      onRefused: (path, { code, message }) =>
        log.warn("an artifact file was skipped", { path, code, message }),
    });
    const offers = new SourceTraces({
      ...{ library, now, inErrors: artifacts.inErrors ?? true },
      state: () => ledger.chain.latestState(),
    });
    return { offers };
  },
});
