import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const HERE = [{ address: '127.0.0.1', family: 4 }]

/** Resolves every name below `.shop.test` to this machine, in this process. Other names resolve as usual. Returns what ends it. */
export function useOwnNames(): () => void {
  const { lookup } = dns
  const replace = (by: object) => {
    Object.assign(dns, { lookup: by })
    syncBuiltinESMExports()
  }
  replace((name: string, options: object) =>
    name.endsWith('.shop.test') ? Promise.resolve(HERE) : lookup(name, options),
  )
  return () => replace(lookup)
}
