// Minimal keep-alive HTTP/1.1 JSON-RPC load client on raw sockets: cheap enough that the
// client is not what is measured. Handles content-length and chunked responses.
import net from "node:net";

export class Conn {
  constructor(url) {
    const u = new URL(url);
    this.host = u.hostname;
    this.port = Number(u.port || 80);
    this.path = u.pathname || "/";
    this.buf = null;
    this.cb = null;
    this.sock = null;
    this.closed = false;
  }
  connect() {
    return new Promise((res, rej) => {
      const s = net.connect({ host: this.host, port: this.port, noDelay: true }, () => {
        s.off("error", rej);
        s.on("error", (e) => this.fail(e));
        this.closed = false;
        res(this);
      });
      s.once("error", rej);
      s.on("data", (d) => this.onData(d));
      s.on("close", () => this.sock === s && this.fail(new Error("connection closed")));
      this.sock = s;
    });
  }
  fail(e) {
    this.closed = true;
    const cb = this.cb;
    this.cb = null;
    this.buf = null;
    if (cb) cb(e);
  }
  // ready-made request bytes for a body
  frame(body) {
    const b = Buffer.isBuffer(body) ? body : Buffer.from(body);
    return Buffer.concat([
      Buffer.from(
        `POST ${this.path} HTTP/1.1\r\nHost: ${this.host}:${this.port}\r\nContent-Type: application/json\r\nContent-Length: ${b.length}\r\n\r\n`,
      ),
      b,
    ]);
  }
  sendFrame(frame, cb) {
    this.cb = cb;
    this.sock.write(frame);
  }
  onData(d) {
    const b = this.buf ? Buffer.concat([this.buf, d]) : d;
    this.buf = b;
    const h = b.indexOf("\r\n\r\n");
    if (h < 0) return;
    if (this.head !== h) {
      this.head = h;
      this.hdr = b.latin1Slice(0, h).toLowerCase();
    }
    const m = /content-length: *(\d+)/.exec(this.hdr);
    let body;
    if (m) {
      const end = h + 4 + Number(m[1]);
      if (b.length < end) return;
      body = b.subarray(h + 4, end);
    } else {
      if (b.indexOf("0\r\n\r\n", b.length - 5) < 0) return;
      const parts = [];
      let p = h + 4;
      for (;;) {
        const e = b.indexOf("\r\n", p);
        if (e < 0) return;
        const n = parseInt(b.latin1Slice(p, e), 16);
        if (n === 0) break;
        if (b.length < e + 2 + n) return;
        parts.push(b.subarray(e + 2, e + 2 + n));
        p = e + 4 + n;
      }
      body = Buffer.concat(parts);
    }
    const close = /connection: *close/.test(this.hdr);
    this.buf = null;
    this.head = -1;
    const cb = this.cb;
    this.cb = null;
    if (close) {
      this.sock.destroy();
      this.connect().then(
        () => cb?.(null, body),
        (e) => cb?.(e),
      );
      return;
    }
    if (cb) cb(null, body);
  }
  post(body) {
    if (this.closed) return Promise.reject(new Error("connection closed"));
    return new Promise((res, rej) => this.sendFrame(this.frame(body), (e, b) => (e ? rej(e) : res(b))));
  }
  async rpc(method, params = []) {
    const r = JSON.parse(
      (await this.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).toString(),
    );
    if (r.error) {
      const e = new Error(`${method}: ${r.error.message}`);
      e.rpc = r.error;
      throw e;
    }
    return r.result;
  }
  close() {
    this.cb = null;
    this.sock.destroy();
  }
}
export const open = (url) => new Conn(url).connect();

// closed loop: `conns` connections, each sends the next body as soon as it has its response.
// next(i) -> body string|Buffer or null when exhausted. Stops at durationMs or at exhaustion.
export async function load({
  url,
  conns = 1,
  durationMs = Infinity,
  bodies = null,
  next = null,
  opener = open,
}) {
  const cs = await Promise.all(Array.from({ length: conns }, () => opener(url)));
  const frames = bodies ? bodies.map((b) => cs[0].frame(b)) : null;
  const lat = [];
  let n = 0,
    errors = 0,
    firstError = null,
    i = 0,
    bytes = 0;
  const t0 = performance.now();
  const tEnd = t0 + durationMs;
  await Promise.all(
    cs.map(
      (c, ci) =>
        new Promise((resolve) => {
          const step = () => {
            const now = performance.now();
            if (now >= tEnd) return resolve();
            let f;
            if (frames) f = frames[i++ % frames.length];
            else {
              const b = next(i++, ci);
              if (b == null) return resolve();
              f = c.frame(b);
            }
            c.sendFrame(f, (e, body) => {
              if (e) {
                errors++;
                firstError ??= String(e);
                return resolve();
              }
              lat.push(performance.now() - now);
              n++;
              bytes += body.length;
              const at = body.subarray(0, 160).indexOf('"error"');
              if (at >= 0) {
                errors++;
                firstError ??= body.toString("utf8", 0, 300);
              }
              step();
            });
          };
          step();
        }),
    ),
  );
  const secs = (performance.now() - t0) / 1000;
  for (const c of cs) c.close();
  lat.sort((a, b) => a - b);
  const q = (p) =>
    lat.length ? +lat[Math.min(lat.length - 1, Math.floor(lat.length * p))].toFixed(3) : null;
  return {
    n,
    errors,
    firstError,
    secs,
    rps: n / secs,
    p50: q(0.5),
    p99: q(0.99),
    bytesPerAnswer: n ? Math.round(bytes / n) : 0,
  };
}
