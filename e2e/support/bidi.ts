/** A WebDriver BiDi session over a WebSocket: commands with their results, and events for the listeners. */
import { once } from 'node:events'

const WITHIN_MS = 30_000

/** The parts of an event that the tests read. */
export type Happening = {
  method: string
  params: {
    level?: string
    text?: string
    source?: { context?: string }
    context?: string
    originalOpener?: string | null
    isBlocked?: boolean
    request?: { request: string; method: string }
  }
}
export type Session = {
  send(method: string, params: object, withinMs?: number): Promise<unknown>
  listeners: Set<(happening: Happening) => void>
}

export async function connect(address: string): Promise<Session> {
  const socket = new WebSocket(address)
  await once(socket, 'open', { signal: AbortSignal.timeout(WITHIN_MS) })
  const listeners: Session['listeners'] = new Set()
  const waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>()
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, type, result, error, message } = JSON.parse(String(data))
    if (type === 'event') for (const each of listeners) each({ method, params })
    const caller = waiting.get(id)
    if (type === 'success') caller?.resolve(result)
    else caller?.reject(new Error(`${error}: ${message}`))
  })
  let count = 0
  const send = async (method: string, params: object, withinMs = WITHIN_MS) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++count
    waiting.set(id, { resolve, reject })
    const timer = setTimeout(() => reject(new Error(`${method} got no response`)), withinMs)
    socket.send(JSON.stringify({ id, method, params }))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }
  return { send, listeners }
}
