import { part } from "../part.ts";
import { rpc } from "./rpc.ts";
import { stream } from "./stream.ts";

/** Starts the event stream, which traces by the node's own methods. */
export const streaming = part({
  name: "streaming",
  needs: { rpc, stream },
  start({ rpc, stream }, { options }) {
    if (stream === undefined) return { offers: undefined };
    stream.connect(rpc.methods.quietText);
    if (options.eventStream?.noDefault !== true) stream.startFetching();
    return { offers: undefined, stop: () => stream.close() };
  },
});
