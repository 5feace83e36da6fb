/**
 * The moment between a connection and the first byte on it. A process may be stopped there for any time: by a signal, by a machine
 * that is paused, or because others use the processor.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const CREATED = 'net.client.socket'

/** Calls `act` when this process has connected to `url`, before anything is written. Only at the next connection. */
export function beforeWriting(url: string, act: () => void): void {
  const port = Number(new URL(url).port)
  const watch = (created: unknown) => {
    const { socket } = created as { socket: Socket }
    socket.prependOnceListener('connect', () => {
      if (socket.remotePort !== port) return
      unsubscribe(CREATED, watch)
      act()
    })
  }
  subscribe(CREATED, watch)
}
