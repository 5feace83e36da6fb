/** What the commands of some acts print beyond sentences and facts: the routes of a shop, and the checks of a callback URL. */

import type { AccountView } from '../../accounts/manage.ts'
import type { Act } from '../../acts/policy.ts'
import { BRANDING_PARTS, type BrandingPart } from '../../merchants/branding.ts'
import { isMandatory } from '../../merchants/onboarding.ts'
import type { ReceiverRecord } from '../../operator/event-history.ts'
import type { ShownRoute } from '../../operator/merchant-routes.ts'
import type { presentBranding } from '../../operator/views/branding.ts'
import type { CheckLine, Verified } from '../../receivers/check.ts'
import { blocksText, healthText, refusalText } from '../commands/accounts/account-text.ts'
import { pairs, paragraphs, table } from '../layout.ts'
import { restingLine } from '../receiver-text.ts'

type Facts = Record<string, unknown>

export const LOOKS: Partial<Record<Act, (facts: Facts) => string>> = {
  'merchant routes': ({ routes }) => routesText(routes as ShownRoute[]),
  'merchant brand': (facts) => brandingText(facts as Parameters<typeof brandingText>[0]),
  'callback verify': ({ checks, woken }) =>
    paragraphs(
      table(['', 'Check', 'Status', 'Time', 'What to do'], (checks as CheckLine[]).map(checkRow)),
      WOKEN[String(woken) as keyof typeof WOKEN],
    ),
}

const TITLES: Record<BrandingPart, string> = {
  name: 'Name',
  logo: 'Logo',
  colour: 'Colour',
  phone: 'Telephone',
  email: 'E-mail',
  site: 'Site',
  taxNumber: 'Tax number',
  termsUrl: 'Terms',
  timeZone: 'Time zone',
}

/** `name`: the registered one. */
function brandingText({
  merchantId,
  name,
  branding,
}: {
  merchantId: string
  name: string
  branding: ReturnType<typeof presentBranding>
}): string {
  const { logo, names = {}, askEmail } = branding
  const shown = {
    ...branding,
    name: branding.name ?? name,
    logo: logo && `${logo.width} x ${logo.height}  ${logo.url}`,
  }
  return pairs([
    ['Merchant', merchantId],
    ...BRANDING_PARTS.map((part): [string, string] => [TITLES[part], shown[part] ?? 'none']),
    ['Asks for an e-mail address', askEmail ? 'yes' : 'no'],
    ...Object.entries(names).map(([language, text]): [string, string] => [`Name (${language})`, text]),
  ])
}

/** What some lists say below, of what is listed. */
export const LIST_LOOKS: Partial<Record<string, (found: readonly unknown[]) => (string | null)[]>> = {
  'account list': (found) => accountNotes(found as AccountView[]),
  'event list': (found) => restingLines(found as { receiver?: ReceiverRecord }[]),
}

/** The whole address of each account whose provider reports to it comes last. */
function accountNotes(accounts: readonly AccountView[]): (string | null)[] {
  const addresses = accounts.flatMap(({ callbackUrl }) => callbackUrl ?? [])
  return [
    ...accounts.map((each) => (each.blocks.length > 0 ? `${each.accountId}: ${blocksText(each)}` : null)),
    ...accounts.map((each) => (each.health.state !== 'ok' ? `${each.accountId}: ${healthText(each)}` : null)),
    ...accounts.map(
      ({ accountId, lastRefusal }) =>
        lastRefusal && `${accountId}: the provider last refused at ${refusalText(lastRefusal)}`,
    ),
    addresses.length > 0 ? `Addresses for the providers' callbacks:\n  ${addresses.join('\n  ')}` : null,
  ]
}

function restingLines(events: readonly { receiver?: ReceiverRecord }[]): string[] {
  const receivers = new Map(
    events.flatMap(({ receiver }) => (receiver ? [[receiver.merchantId, receiver]] : [])),
  )
  return [[...receivers.values()].map(restingLine).join('\n')]
}

function routesText(shown: readonly ShownRoute[]): string {
  if (shown.length === 0) return 'Buyers do not choose: a payment that names no route uses the default one.'
  const rows = shown.map(({ route, label, labels = {}, mark, ready }) => [
    route,
    label,
    mark ?? '',
    Object.entries(labels)
      .map(([language, text]) => `${language}: ${text}`)
      .join(', '),
    ready ? 'ready' : 'not ready: buyers are not offered it',
  ])
  const note =
    shown.length === 1
      ? 'With one route buyers do not choose. A payment that names no route uses it.'
      : 'Buyers choose between the ready ones that take the currency. A payment, product or installation with a route of its own offers no choice.'
  return paragraphs(table(['Route', 'Label', 'Mark', 'In other languages', 'State'], rows), note)
}

/** The receiver's state before a successful verification decides which events are sent now. */
const WOKEN: Record<NonNullable<Verified['woken']>, string> = {
  failing: 'Its failures no longer count. Waiting events are sent at their next attempt.',
  resting: 'It no longer rests. Due events are sent now, and the others at their next attempt.',
  paused: 'It is no longer paused. Every waiting event is sent now.',
}

function checkRow(line: CheckLine): string[] {
  const verdict = line.passed ? 'pass' : line.skipped ? 'skip' : isMandatory(line) ? 'FAIL' : 'warn'
  const status = line.statusCode === null ? 'none' : String(line.statusCode)
  return [verdict, line.name.replaceAll('_', ' '), status, `${line.durationMs} ms`, line.advice ?? '']
}
