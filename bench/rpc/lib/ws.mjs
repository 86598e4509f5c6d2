// Minimal WebSocket client on a raw socket with the same interface as Conn in http.mjs.

import { randomBytes } from "node:crypto";
import net from "node:net";

export class WsConn {
  constructor(url) {
    const u = new URL(url);
    this.host = u.hostname;
    this.port = Number(u.port || 80);
    this.path = u.pathname || "/";
    this.buf = null;
    this.cb = null;
    this.parts = [];
  }
  connect() {
    return new Promise((res, rej) => {
      const s = net.connect({ host: this.host, port: this.port, noDelay: true }, () =>
        s.write(
          `GET ${this.path} HTTP/1.1\r\nHost: ${this.host}:${this.port}\r\nOrigin: http://localhost\r\nUpgrade: ` +
            "websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " +
            `${randomBytes(16).toString("base64")}\r\n\r\n`,
        ),
      );
      this.sock = s;
      s.once("error", rej);
      let up = false;
      s.on("data", (d) => {
        if (up) return this.onData(d);
        this.buf = this.buf ? Buffer.concat([this.buf, d]) : d;
        const h = this.buf.indexOf("\r\n\r\n");
        if (h < 0) return;
        if (!/ 101 /.test(this.buf.latin1Slice(0, 40)))
          return rej(new Error(`no upgrade: ${this.buf.latin1Slice(0, 60)}`));
        up = true;
        const rest = this.buf.subarray(h + 4);
        this.buf = null;
        res(this);
        if (rest.length) this.onData(rest);
      });
      s.on("close", () => {
        const cb = this.cb;
        this.cb = null;
        if (cb) cb(new Error("closed"));
      });
    });
  }
  frame(body, op = 1) {
    // masked with an all-zero key: valid, and costs nothing
    const b = Buffer.isBuffer(body) ? body : Buffer.from(body);
    const n = b.length;
    const h =
      n < 126
        ? Buffer.from([0x80 | op, 0x80 | n, 0, 0, 0, 0])
        : n < 65536
          ? Buffer.from([0x80 | op, 0x80 | 126, n >> 8, n & 255, 0, 0, 0, 0])
          : Buffer.from([
              0x80 | op,
              0x80 | 127,
              0,
              0,
              0,
              0,
              n >>> 24,
              (n >> 16) & 255,
              (n >> 8) & 255,
              n & 255,
              0,
              0,
              0,
              0,
            ]);
    return Buffer.concat([h, b]);
  }
  sendFrame(f, cb) {
    this.cb = cb;
    this.sock.write(f);
  }
  onData(d) {
    let b = this.buf ? Buffer.concat([this.buf, d]) : d;
    for (;;) {
      if (b.length < 2) break;
      let n = b[1] & 127,
        p = 2;
      if (n === 126) {
        if (b.length < 4) break;
        n = b.readUInt16BE(2);
        p = 4;
      } else if (n === 127) {
        if (b.length < 10) break;
        n = Number(b.readBigUInt64BE(2));
        p = 10;
      }
      if (b.length < p + n) break;
      const op = b[0] & 15,
        fin = b[0] & 128,
        payload = b.subarray(p, p + n);
      b = b.subarray(p + n);
      if (op === 9) {
        this.sock.write(this.frame(payload, 10));
        continue;
      }
      if (op === 8) {
        this.sock.destroy();
        return;
      }
      if (op > 2) continue;
      this.parts.push(payload);
      if (fin) {
        const body = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
        this.parts = [];
        const cb = this.cb;
        this.cb = null;
        this.buf = b.length ? b : null;
        if (cb) cb(null, body);
      }
    }
    this.buf = b.length ? b : null;
  }
  close() {
    this.cb = null;
    this.sock.destroy();
  }
}
export const openWs = (url) => new WsConn(url).connect();
