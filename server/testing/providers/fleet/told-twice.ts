/** Counts the writes that a provider gets again although it does not know a repetition: it would move the money twice. */
import type { FaultProxy } from '../fault-proxy.ts'
import type { Simulated } from './drivers.ts'

/** An opening moves no money. That an order was opened twice is seen in the provider's books. */
const MOVES_MONEY = ['finalize', 'refund', 'capture', 'void'] as const

export function countToldTwice(proxy: FaultProxy, { writes, keyed }: Simulated): () => number {
  const told = new Set<string>()
  let again = 0
  const bare = MOVES_MONEY.filter((write) => keyed[write] === undefined)
  proxy.listen((method, path, body) => {
    const address = path.replace(/\?.*/, '')
    const write = writes.find((each) => each.path.test(address) && (each.body?.test(body) ?? true))
    if (method !== 'POST' || !bare.some((name) => name === write?.call)) return
    // A shop of the fleet asks for one operation of a payment, so two equal requests are the same write.
    const name = `${path} ${body}`
    if (told.has(name)) again += 1
    told.add(name)
  })
  return () => again
}
