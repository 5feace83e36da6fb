/** An account as text: its settings, its health, and what is known of its contract. */
import type { AccountFacts, RightFact } from '../../../accounts/account-facts.ts'
import type { AccountView } from '../../../accounts/manage.ts'
import { ADMIN } from '../../command.ts'
import { amount, moment, pairs } from '../../layout.ts'

export function show(account: AccountView): string {
  const { accountId, route, driver, owner, currencies, settings, credentials, merchants, shared } = account
  const users = shared ? 'every merchant' : (merchants ?? [owner ?? '']).join(', ')
  return pairs([
    ['Account', accountId],
    ['Route', route],
    ['Driver', driver],
    ['Owner', owner ?? 'the deployment'],
    ['Used by', users || 'no merchant yet'],
    ['Currencies', currencies.join(', ')],
    ['Settings', Object.entries(settings).map(([name, value]) => `${name}=${value}`)],
    ['Credentials', credentials],
    ['Active since', account.activeFrom],
    ['Callbacks', account.callbackUrl],
    ['Return address', account.returnUrl],
    ['Retired', account.retiredAt],
    ['Health', healthText(account)],
    ['Last refusal', account.lastRefusal && refusalText(account.lastRefusal)],
    ['Blocks', account.blocks.length > 0 ? blocksText(account) : null],
  ])
}

/** What an operator can do about payments that are refused because of this account. */
export function blocksText({ accountId, blocks, retiredAt }: AccountView): string {
  const what = `The merchant's payments in ${blocks.join(', ')} on this route are refused.`
  const otherwise = retiredAt
    ? `Set another account, or: ${ADMIN} account retire --account ${accountId} --in-favour-of-deployment`
    : `Correct the problem, or set another account.`
  return `${what} ${otherwise}`
}

export function refusalText({ at, message }: NonNullable<AccountView['lastRefusal']>): string {
  return `${at}: ${message}`
}

/** The state, since when, why, and what to do. */
export function healthText({ health: { state, since, reason, advice } }: AccountView): string {
  if (state === 'ok') return 'ok'
  return `${state} since ${since}: ${reason} ${advice}`
}

/** What is known of the account's contract. */
export function factsText({ facts }: AccountView): string | null {
  if (!facts) return null
  const { callbacks, rights, orderNumbers } = facts
  const rows = pairs([
    ['Calls back', callsBackText(callbacks)],
    ['Amounts', amountTexts(facts)],
    ...rights.map((each): [string, string] => [NAMES[each.right], rightText(each)]),
    [
      'Order numbers',
      orderNumbers === 'number' ? 'integers, as the provider wants them' : 'text of the service',
    ],
    ['Time limits', timeLimitTexts(facts)],
  ])
  return `What is known of its contract:\n${rows}`
}

const NAMES: Record<RightFact['right'], string> = {
  payment: 'Payments',
  refund: 'Refunds',
  partial_refund: 'Partial refunds',
  capture: 'Captures',
  void: 'Voids',
  tokenization: 'Saved methods',
  subscriptions: 'Charges of saved methods',
  withdraw: 'Closing unpaid orders',
}

function rightText({ state, reason, source, learnedAt }: RightFact): string {
  if (state === 'unsupported') return `not possible. ${reason}`
  if (state === 'off') return `off. ${reason}`
  if (state === 'assumed') return 'unknown: the provider has not shown it, so the next request is sent'
  const how = source === 'test' ? 'account test' : "the provider's answer"
  const since = `${how}, ${moment(new Date(learnedAt ?? ''))}`
  return state === 'granted' ? `granted (${since})` : `refused (${since}): ${reason}`
}

export function callsBackText(callbacks: AccountFacts['callbacks']): string {
  if (!callbacks) return 'this provider never does'
  const { setUp, lastSeenAt } = callbacks
  if (!setUp) return 'not set up'
  return lastSeenAt === null
    ? 'set up, nothing has arrived yet'
    : `set up, last seen ${moment(new Date(lastSeenAt))}`
}

const CALLS = {
  question: 'for each request of a question',
  opening: 'to open an order, or a page that saves a card',
  writing: 'for a refund, a capture, a void or a charge',
}
const LIMIT_SOURCES = { driver: ' (of the driver)', service: '' }

function timeLimitTexts({ timeLimits }: AccountFacts): string[] {
  return timeLimits.map(
    ({ calls, seconds, source }) => `${seconds} s ${CALLS[calls]}${LIMIT_SOURCES[source]}`,
  )
}

const SOURCES = { settings: ' (AMOUNT_BOUNDS)', documented: ' (as the provider documents)', none: '' }

export function amountTexts({ amounts }: Pick<AccountFacts, 'amounts'>): string[] {
  return amounts.map(
    ({ currency, smallestMinor, largestMinor, source }) =>
      `${amount(smallestMinor, currency)} to ${amount(largestMinor, currency)}${SOURCES[source]}`,
  )
}
