/** What the console does about the audit log before and after what a person changes. */
import { writeRevocations } from '../audit/revocations.ts'
import { judgeLog } from '../audit/state.ts'
import { type Context, systemClock } from '../context.ts'
import { html } from '../pages/html.ts'
import type { ConsolePage, Shown, Visit } from './page.ts'
import { wideScreen } from './page-parts.ts'
import { translate } from './words/translate.ts'

/** Runs the work of a page. Of a page that changes something it is refused while the audit log is not what it was. */
export async function withSoundLog(
  visit: Visit,
  page: ConsolePage,
  work: () => Promise<Shown>,
): Promise<Shown> {
  if (page.method !== 'post') return work()
  const refused = await refuseAct(visit, page)
  if (refused) return refused
  const shown = await work()
  await keepRevocations(visit.ctx)
  return shown
}

/**
 * While the audit log is not what it was, people can look and change nothing. Signing out and checking the log are always possible.
 * Returns null if the page may do its work.
 */
async function refuseAct({ ctx, locale }: Visit, page: ConsolePage): Promise<Shown | null> {
  if (page.path === '/sign-out' || page.needs === 'audit verify') return null
  const { refusal, guard } = await judgeLog(ctx, systemClock.now())
  // Somebody who signs in to look leaves a row, if there is a log.
  if (!refusal || (page.needs === 'nobody' && guard.hasLog)) return null
  const title = translate(locale, 'logFaultyTitle')
  const body = html`<p>${translate(locale, 'logFaultyText')}</p>
    <p><a href="/">${translate(locale, 'back')}</a></p>`
  return wideScreen({ title, body, status: 503 })
}

/** A revocation is in force in any case. If its list cannot be written now, the worker tries again. */
async function keepRevocations(ctx: Context): Promise<void> {
  await writeRevocations(ctx).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'the list of what was revoked could not be written'),
  )
}
