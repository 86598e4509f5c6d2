/** What a caller asks of a listener that is to be started; what is absent stays as the node was launched. */
export interface ListenRequest {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Origins of browser pages. */
  readonly origins?: readonly string[] | undefined;
  /** Modules to serve: of those that the node was launched with, these only. */
  readonly modules?: readonly string[] | undefined;
  /** Host names accepted besides addresses. */
  readonly virtualHosts?: readonly string[] | undefined;
}

/** One listener that can be started and stopped while the node runs. */
export interface ListenerControl {
  /** @throws RpcError -32000 when it runs or the address is taken */
  start(request: ListenRequest): Promise<void>;
  /** Stops listening at once; answers that are being made still leave. @throws RpcError -32000 when it does not run */
  stop(): void;
}

/** The listeners over TCP. */
export interface ListenerControls {
  readonly http: ListenerControl;
  readonly ws: ListenerControl;
}
