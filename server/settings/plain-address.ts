/** Finds addresses of the database whose connections leave this machine without TLS. */
import { isThisMachine } from '../outbound/address.ts'
import { SETTINGS } from './table.ts'

const ENCRYPTED_MODES = ['require', 'verify-ca', 'verify-full', 'no-verify', 'prefer']
const ADDRESSES = ['databaseUrl', 'databaseDirectUrl'] as const

/**
 * Returns whether a connection to this address is not encrypted and leaves the machine. A name without a dot is that of a container
 * beside this one.
 */
function isPlain(text: string): boolean {
  const { hostname, searchParams } = new URL(text)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isInside = host === '' || host.startsWith('/') || isThisMachine(host) || !/[.:]/.test(host)
  if (isInside) return false
  const mode = searchParams.get('sslmode') ?? ''
  return !ENCRYPTED_MODES.includes(mode) && !/^(true|1)$/.test(searchParams.get('ssl') ?? '')
}

/** What an operator reads. It names no host, because the address contains a password. `next`: an address with TLS. */
export type PlainAddress = { name: string; message: string; example: string }

export function findPlainAddresses(
  given: { [Key in (typeof ADDRESSES)[number]]?: string | undefined },
): PlainAddress[] {
  return ADDRESSES.filter((key) => given[key] !== undefined && isPlain(given[key])).map((key) => {
    const { name } = SETTINGS[key]
    return {
      name,
      message: `The connection of ${name} leaves this machine without TLS, so its password and all data can be read on the way. To encrypt it, add ?sslmode=verify-full to the address.`,
      example: "'postgres://USER:PASSWORD@db.example:5432/kassa?sslmode=verify-full'",
    }
  })
}
