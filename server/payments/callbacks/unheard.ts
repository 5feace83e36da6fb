/**
 * What a provider reads where its callback could not be read or stored, and from which addresses it is known to call.
 * Rule: nothing here asks the database, because it may be what is away.
 */
import { BlockList, isIPv6 } from 'node:net'
import { recallAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { RawReply } from '../../providers/driver.ts'

/** Returns null where our own error is good enough. */
export function findFallbackReply(ctx: Context, accountId: string): RawReply | null {
  return recallAccount(ctx, accountId)?.driver.inbound?.unheard ?? null
}

/** Whether the account's provider is known to call from this address. `ip`: without a port. */
export function isKnownCaller(ctx: Context, accountId: string, ip: string): boolean {
  const account = recallAccount(ctx, accountId)
  const known = account?.driver.inbound?.callers?.(account.settings) ?? []
  if (known.length === 0) return false
  const list = new BlockList()
  for (const each of known) {
    const [address = '', prefix] = each.split('/')
    const family = familyOf(address)
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  const plain = ip.replace(/^::ffff:(?=[\d.]+$)/, '')
  return plain !== '' && list.check(plain, familyOf(plain))
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
