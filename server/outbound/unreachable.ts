/**
 * Remembers for a while which addresses did not accept connections, so that later requests try them last. An address is never left
 * out: if all are here, all are tried.
 */
import type { Address } from './address.ts'

/** A server that is back is found within this time. Until then each request uses one of the host's other addresses. */
const REMEMBERED_MS = 300_000
const ENTRIES_MAX = 1_000

export type Unreachable = ReturnType<typeof createUnreachable>

/** One host's addresses say nothing about another host's, so that no shop can change the order of another shop's addresses. */
export function createUnreachable(nowMs: () => number = () => performance.now()) {
  /** The oldest is first. */
  const sinceMs = new Map<string, number>()
  const keyOf = (host: string, { address }: Address) => `${host} ${address}`
  function isHere(key: string): boolean {
    const since = sinceMs.get(key)
    if (since === undefined) return false
    if (nowMs() - since < REMEMBERED_MS) return true
    sinceMs.delete(key)
    return false
  }
  function add(host: string, address: Address): void {
    const key = keyOf(host, address)
    sinceMs.delete(key)
    sinceMs.set(key, nowMs())
    const [oldest] = sinceMs.keys()
    if (sinceMs.size > ENTRIES_MAX && oldest !== undefined) sinceMs.delete(oldest)
  }
  return {
    add,
    /** `tried`: all addresses in the order of their attempts. Those before `reached` had more time and did not succeed. */
    noteReached(host: string, reached: Address, tried: readonly Address[]): void {
      for (const earlier of tried.slice(0, tried.indexOf(reached))) add(host, earlier)
      sinceMs.delete(keyOf(host, reached))
    },
    /** Returns the same addresses in the same order, but those that could not be reached come last. */
    last(host: string, addresses: readonly Address[]): Address[] {
      const late = new Set(addresses.filter((address) => isHere(keyOf(host, address))))
      return [...addresses.filter((address) => !late.has(address)), ...late]
    },
    /** How many addresses are remembered. Only tests need it. */
    size: () => sinceMs.size,
  }
}
