/** Loaded before a process of a test: every name below `.shop.test` leads to this machine, and other names as ever. */
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const { lookup } = dns
const here = [{ address: '127.0.0.1', family: 4 }]
Object.assign(dns, {
  lookup: (name: string, options: object) =>
    name.endsWith('.shop.test') ? Promise.resolve(here) : lookup(name, options),
})
syncBuiltinESMExports()
