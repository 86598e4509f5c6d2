import { clientVersion, VERSION } from "../../node/version.ts";
import { command } from "../command.ts";

/** `kairn version` */
export default command({
  usage: "",
  summary: "Prints the version.",
  options: {},
  async run({ stdout }) {
    stdout.write(`${VERSION}\n${clientVersion()}\n`);
    return 0;
  },
});
