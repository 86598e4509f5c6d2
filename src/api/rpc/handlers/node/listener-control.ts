/** Settings for starting a listener; absent ones stay as at launch. */
export interface ListenRequest {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Origins of browser pages. */
  readonly origins?: readonly string[] | undefined;
  /** Modules to serve, a subset of those at launch. */
  readonly modules?: readonly string[] | undefined;
  /** Host names accepted besides addresses. */
  readonly virtualHosts?: readonly string[] | undefined;
}

/** One listener that can be started and stopped while the node runs. */
export interface ListenerControl {
  /** @throws RpcError -32000 when it runs or the address is taken */
  start(request: ListenRequest): Promise<void>;
  /** Stops listening at once; responses in progress are still sent. @throws RpcError -32000 when it does not run */
  stop(): void;
}

/** The listeners over TCP. */
export interface ListenerControls {
  readonly http: ListenerControl;
  readonly ws: ListenerControl;
}
