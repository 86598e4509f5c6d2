import { connect, type Socket } from "node:net";
import { differences } from "./compare.ts";
import { type HttpRequest, type HttpResponse, type Json, repeated } from "./format.ts";

/** Posts a JSON text. @returns the parsed response; undefined for an empty one */
export async function postJson(port: number, body: string): Promise<Json | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  const text = await response.text();
  return text === "" ? undefined : (JSON.parse(text) as Json);
}

interface Received {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends a recorded request, byte by byte as recorded, once for each expected response. @returns the differences */
export async function exchange(
  port: number,
  request: HttpRequest,
  expected: readonly HttpResponse[],
): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  const reader = new ResponseReader(socket);
  const found: string[] = [];
  try {
    for (const response of expected) {
      socket.write(requestBytes(port, request));
      found.push(...responseDifferences(response, await reader.read(request.method)));
    }
  } finally {
    socket.destroy();
  }
  return found;
}

function requestBytes(port: number, request: HttpRequest): Buffer {
  const { method, path, headers, httpVersion = "1.1" } = request;
  const body = bodyOf(request);
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const chunked = given.has("transfer-encoding");
  const lines = [`${method} ${path} HTTP/${httpVersion}`];
  if (!given.has("host")) lines.push(`Host: 127.0.0.1:${port}`);
  if (body !== undefined && !chunked) lines.push(`Content-Length: ${body.length}`);
  lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", "");
  const head = Buffer.from(lines.join("\r\n"));
  if (body === undefined) return head;
  if (!chunked) return Buffer.concat([head, body]);
  return Buffer.concat([
    head,
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from("\r\n0\r\n\r\n"),
  ]);
}

function bodyOf({ body, bodyBase64, bodyRepeat }: HttpRequest): Buffer | undefined {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, "base64");
  if (bodyRepeat !== undefined) return Buffer.from(repeated(bodyRepeat));
  return body === undefined || body === null ? undefined : Buffer.from(body);
}

function responseDifferences(expected: HttpResponse, actual: Received): string[] {
  const found: string[] = [];
  if (expected.status !== actual.status)
    found.push(`status: expected ${expected.status}, got ${actual.status}`);
  for (const [name, value] of Object.entries(expected.headers)) {
    if (name !== "content-type" && !name.startsWith("access-control")) continue;
    const got = actual.headers.get(name) ?? "";
    if (got.replaceAll(" ", "") !== value.replaceAll(" ", ""))
      found.push(`${name}: expected ${value}, got ${got}`);
  }
  if (expected.json !== undefined) return [...found, ...differences(expected.json, parsed(actual.body), [])];
  const text = (expected.text ?? "").trim();
  if (actual.body.trim() !== text) found.push(`body: expected ${text}, got ${actual.body.slice(0, 300)}`);
  return found;
}

function parsed(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

/** Reads the responses of one connection. */
class ResponseReader {
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("error", end);
    socket.on("close", end);
  }

  async read(method: string): Promise<Received> {
    const headEnd = await this.#find("\r\n\r\n");
    const [statusLine = "", ...lines] = this.#bytes.toString("latin1", 0, headEnd).split("\r\n");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const length = method === "HEAD" ? 0 : Number(headers.get("content-length") ?? 0);
    await this.#until(() => this.#bytes.length >= headEnd + 4 + length);
    const body = this.#bytes.toString("utf8", headEnd + 4, headEnd + 4 + length);
    this.#bytes = this.#bytes.subarray(headEnd + 4 + length);
    return { status: Number(statusLine.split(" ")[1]), headers, body };
  }

  async #find(text: string): Promise<number> {
    await this.#until(() => this.#bytes.includes(text));
    return this.#bytes.indexOf(text);
  }

  async #until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (this.#ended) throw new Error("connection closed before the response was complete");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
