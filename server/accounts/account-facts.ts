/**
 * Everything that is known of an account's contract, in one view: from its settings, its driver, tests of the account and the provider's
 * answers. The parts are read where they are needed; people see them here together.
 */
import type { AmountBounds, CapabilityName } from '../contract/capability.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import type { ProviderRight } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'
import { boundsOf } from './amount-bounds.ts'
import { type CallTimeoutFact, callTimeoutsOf } from './call-timeouts.ts'
import { configuredStateOf, type KnownRights } from './capability-state.ts'
import type { DirectoryEntry } from './directory.ts'
import { isDenied } from './facts.ts'

/**
 * `granted`, `denied`: what the provider has shown, with the time. `assumed`: it has not, so the next request shows it. `off`: the
 * account's settings switch it off. `unsupported`: the driver cannot do it.
 */
export type RightFact = {
  right: ProviderRight
  state: 'granted' | 'denied' | 'assumed' | 'off' | 'unsupported'
  reason: string | null
  source: 'test' | 'answer' | null
  learnedAt: string | null
}

export type AccountFacts = {
  /** Whether the provider reports by itself what happens. Null: this provider never does. */
  callbacks: { setUp: boolean; lastSeenAt: string | null } | null
  /** `source`: where the bounds are from. `none`: the provider documents none. */
  amounts: ({ currency: CurrencyCode; source: 'settings' | 'documented' | 'none' } & AmountBounds)[]
  rights: RightFact[]
  /** `number`: the provider wants integers, which rise. `text`: the service makes them. */
  orderNumbers: 'number' | 'text'
  /** How long the provider may take to answer: one request of a question, or a whole call of another class. */
  timeLimits: CallTimeoutFact[]
}

/** Returns null for an account that cannot be opened. */
export function factsOf(ctx: KnownRights, { record, account, facts }: DirectoryEntry): AccountFacts | null {
  if (!account) return null
  const { driver, settings, amountBounds } = account
  const currencies = record.currencies.filter((each) => driver.currencies.includes(each))
  return {
    callbacks: driver.inbound
      ? {
          setUp: Boolean(driver.callbacksSetUp?.(settings)),
          lastSeenAt: record.callbackSeenAt?.toISOString() ?? null,
        }
      : null,
    amounts: currencies.map((currency) => ({
      currency,
      ...boundsOf(account, currency),
      source: amountBounds[currency] ? 'settings' : driver.amountBounds?.[currency] ? 'documented' : 'none',
    })),
    rights: RIGHTS.filter(([right]) => right !== 'withdraw' || driver.withdraw).map(([right, operation]) =>
      rightOf(ctx, { account, facts }, right, operation),
    ),
    orderNumbers: driver.orderNumbers ? 'number' : 'text',
    timeLimits: callTimeoutsOf(account),
  }
}

/** Each right, with the capability that it belongs to. */
const RIGHTS: readonly [ProviderRight, CapabilityName | null][] = [
  ['payment', null],
  ['refund', 'refund'],
  ['partial_refund', 'refund'],
  ['capture', 'capture'],
  ['void', 'void'],
  ['tokenization', 'tokenization'],
  ['subscriptions', 'subscriptions'],
  ['withdraw', null],
]

function rightOf(
  ctx: KnownRights,
  { account, facts }: { account: Account; facts: DirectoryEntry['facts'] },
  right: ProviderRight,
  operation: CapabilityName | null,
): RightFact {
  const unproven = { right, source: null, learnedAt: null }
  const configured = operation && configuredStateOf(account, operation)
  if (configured?.reason !== undefined)
    return { ...unproven, state: configured.supported ? 'off' : 'unsupported', reason: configured.reason }
  const fact = facts.get(right)
  const isRefused = isDenied(ctx, account, right)
  if (!fact || (fact.value === false && !isRefused)) return { ...unproven, state: 'assumed', reason: null }
  const { source, learnedAt } = fact
  const state = isRefused ? 'denied' : 'granted'
  return { right, state, reason: fact.reason, source, learnedAt: learnedAt.toISOString() }
}
