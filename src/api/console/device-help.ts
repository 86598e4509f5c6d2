import type { Json } from "../../protocol/codec/json/value.ts";
import { visibleLine } from "../../protocol/primitives/visible.ts";
import type { SendRequest } from "../client/client.ts";
import type { WalletDescription } from "../rpc/spec/accounts/personal.ts";

/** How long a device may take before the user is pointed to it. */
const HINT_DELAY_MS = 1000;
const DEVICE = /^(ledger|trezor):\/\//;

/** The parts of the console that device help uses. */
export interface DeviceHelp {
  readonly request: SendRequest;
  print(text: string): unknown;
}

/**
 * Calls the node. If a hardware wallet is involved, prints what to do on the device: when the response takes long,
 * and when an opened wallet is not usable yet.
 */
export async function callWithDeviceHelp(
  method: string,
  params: readonly Json[],
  { request, print }: DeviceHelp,
): Promise<unknown> {
  const names = namesIn(params);
  const devices = async (): Promise<readonly WalletDescription[]> =>
    (await wallets(request)).filter((wallet) => DEVICE.test(wallet.url) && isNamed(wallet, names));
  const waiting = setTimeout(async () => {
    for (const { url } of await devices())
      print(`Check the device ${visibleLine(url)}: it is waiting for you.\n`);
  }, HINT_DELAY_MS);
  try {
    const result = await request(method, params as Json[]);
    if (method === "personal_openWallet")
      for (const { status, failure } of await devices()) print(`${visibleLine(String(failure ?? status))}\n`);
    return result;
  } finally {
    clearTimeout(waiting);
  }
}

/** Every string in the arguments and their members: addresses and URLs are among them. */
function namesIn(params: readonly Json[]): ReadonlySet<string> {
  const members = params.flatMap((value) =>
    typeof value === "object" && value !== null ? Object.values(value) : [value],
  );
  return new Set(members.filter((value) => typeof value === "string").map((text) => text.toLowerCase()));
}

function isNamed({ url, accounts = [] }: WalletDescription, names: ReadonlySet<string>): boolean {
  return names.has(url.toLowerCase()) || accounts.some(({ address }) => names.has(address.toLowerCase()));
}

/** Empty if the node does not serve them. */
async function wallets(request: SendRequest): Promise<readonly WalletDescription[]> {
  try {
    // A request gives JSON of any shape; this one has the shape that the method is declared to return.
    return (await request("personal_listWallets", [])) as unknown as readonly WalletDescription[];
  } catch {
    return [];
  }
}
