export { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
export { transactionType } from "../../protocol/transaction/type-table.ts";
export { api, devApi, subscriptionApi } from "../rpc/spec/api.ts";
export {
  type CallArgs,
  type Client,
  createClient,
  RpcRequestError,
  type SendRequest,
} from "./client.ts";
export { httpRequest } from "./http.ts";
export { type LocalAccount, localAccount } from "./local-account.ts";
export { type RemoteProvider, remoteProvider } from "./provider.ts";
export { type Connection, connect, type WebSocketLike } from "./websocket.ts";
