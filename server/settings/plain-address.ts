/** Finds addresses of the database and of Redis whose connections leave this machine without TLS. */
import { isThisMachine } from '../outbound/address.ts'
import { SETTINGS } from './table.ts'

const ENCRYPTED_MODES = ['require', 'verify-ca', 'verify-full', 'no-verify', 'prefer']
const ADDRESSES = ['databaseUrl', 'databaseDirectUrl', 'redisUrl'] as const

/**
 * Returns whether a connection to this address is not encrypted and leaves the machine. A name without a dot is that of a container
 * beside this one.
 */
function isPlain(text: string): boolean {
  const { protocol, hostname, searchParams } = new URL(text)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isInside = host === '' || host.startsWith('/') || isThisMachine(host) || !/[.:]/.test(host)
  if (isInside || protocol === 'rediss:') return false
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
    const isRedis = key === 'redisUrl'
    const means = isRedis ? 'begin the address with rediss://' : 'add ?sslmode=verify-full to the address'
    const example = isRedis
      ? "'rediss://:PASSWORD@cache.example:6380'"
      : "'postgres://USER:PASSWORD@db.example:5432/kassa?sslmode=verify-full'"
    return {
      name,
      message: `The connection of ${name} leaves this machine without TLS, so its password and all data can be read on the way. To encrypt it, ${means}.`,
      example,
    }
  })
}
