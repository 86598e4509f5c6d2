import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";

/** One time slice shared by the handshakes and messages of all peers. */
export const peerSlice = new TimeSlice();
