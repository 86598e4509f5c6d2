import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { FileSink } from "./file-sink.ts";

it("acknowledges nothing while its file is closed", async () => {
  const { files } = createSimulatedRuntime();
  const sink = new FileSink(files, "/stream.jsonl");
  const message = { topic: "t", key: "1", id: "1", value: new TextEncoder().encode("{}") };
  await expect(sink.send(message)).rejects.toThrowError("the file is closed");
  await sink.open();
  await sink.send(message);
  await sink.close();
  await expect(sink.send(message)).rejects.toThrowError("the file is closed");
});
