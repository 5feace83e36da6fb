/** What the commands of some acts print beyond sentences and facts: the routes of a shop, and the checks of a callback URL. */
import type { Act } from '../../acts/policy.ts'
import { isMandatory } from '../../merchants/onboarding.ts'
import type { ShownRoute } from '../../operator/merchant-routes.ts'
import type { CheckLine, Verified } from '../../receivers/check.ts'
import { paragraphs, table } from '../layout.ts'

type Facts = Record<string, unknown>

export const LOOKS: Partial<Record<Act, (facts: Facts) => string>> = {
  'merchant routes': ({ routes }) => routesText(routes as ShownRoute[]),
  'callback verify': ({ checks, woken }) =>
    paragraphs(
      table(['', 'Check', 'Status', 'Time', 'What to do'], (checks as CheckLine[]).map(checkRow)),
      WOKEN[String(woken) as keyof typeof WOKEN],
    ),
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
