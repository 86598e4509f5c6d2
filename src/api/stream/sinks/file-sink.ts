import type { AppendFile, Files } from "../../../platform/runtime/files.ts";
import { StreamError } from "../errors.ts";
import type { EventSink, StreamMessage } from "./event-sink.ts";

/**
 * Appends each message as a line of JSON, `{"topic":…,"key":…,"value":…}`, which is on disk when `send` resolves. A line cut
 * off by a power loss remains as invalid JSON, which readers skip; the message is repeated. A new file is readable by its
 * owner only.
 */
export class FileSink implements EventSink {
  readonly place: string;
  readonly #files: Files;
  #file: AppendFile | undefined;

  constructor(files: Files, path: string) {
    this.#files = files;
    this.place = path;
  }

  async open(): Promise<void> {
    await this.close();
    const isContinued = this.#files.exists(this.place);
    this.#file = this.#files.openAppend(this.place, "owner");
    if (isContinued) await this.#file.append(Buffer.from("\n"));
  }

  async send({ topic, key, value }: StreamMessage): Promise<void> {
    if (this.#file === undefined) throw new StreamError("BROKER", "the file is closed");
    const before = `{"topic":${JSON.stringify(topic)},"key":${JSON.stringify(key)},"value":`;
    await this.#file.append(Buffer.concat([Buffer.from(before), value, Buffer.from("}\n")]));
  }

  async close(): Promise<void> {
    this.#file?.close();
    this.#file = undefined;
  }
}
