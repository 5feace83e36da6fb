/** Deciding a case, and asking its provider once more. Whoever has decided one is led to the next. */
import { actOfDecision } from '../../acts/case-decision.ts'
import { type Outcome, oneActOf, rehearseAct } from '../../acts/do.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type CaseDetail, getCase } from '../../operator/desk/case.ts'
import { listDesk } from '../../operator/desk/desk.ts'
import { askAboutAttempt } from '../../payments/attempts/question.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { factorFormOf } from '../again.ts'
import { goesBack } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Shown } from '../page.ts'
import { addressWith } from '../parts.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'
import { actFor, type View, viewOf, writing } from '../world.ts'
import { caseScreen, nameOf, type QuestionOutcome, WHY_CHARS_MAX } from './case.ts'
import { caseAddress } from './list.ts'
import { findPartOf } from './part.ts'
import { asksTwice, confirmScreen } from './sure.ts'

const NUMBER_CHARS_MAX = 60

const decision: ConsolePage = {
  method: 'post',
  path: '/:world/desk/:kind/:case',
  needs: 'desk decide',
  async handle(visit) {
    const { form, locale } = visit
    const view = await viewOf(visit)
    const detail = await findOpen(visit, view)
    if (!detail || goesBack(visit)) return caseScreen(visit, view)
    const again = (key: ConsoleKey, values: Record<string, string | number> = {}) =>
      caseScreen(visit, view, translateAny(locale, key, values))
    const why = form.why?.trim() ?? ''
    const number = form.number?.trim()
    if (!detail.choices.includes(form.choice ?? '')) return again('choiceMissing')
    if (why === '' || [...why].length > WHY_CHARS_MAX) return again('whyWrong', { chars: WHY_CHARS_MAX })
    if (form.choice === 'issued' && (!number || number.length > NUMBER_CHARS_MAX))
      return again('receiptNumberMissing')
    const accepts = Number(form.accepts) || undefined
    const part = findPartOf(locale, detail, form.choice ?? '')
    if (part && part.minor !== accepts) return again('refused_partTaken', part)
    const decided = { choice: form.choice ?? '', why, seen: form.seen ?? '', number, accepts }
    try {
      const { row, given } = actOfDecision(detail, decided)
      if (asksTwice(detail) && form.confirm !== 'yes') {
        await rehearseAct(writing(visit, row.name, detail.found.subject), visit.user, row, given)
        const factorForm = await factorFormOf(visit, await oneActOf(view.ctx, row, given))
        return confirmScreen(visit, { detail, decision: decided, factorForm })
      }
      const outcome = await actFor(visit, row, detail.found.subject, given)
      return { kind: 'redirect', to: await nextAddress(view, detail, cameOf(outcome)) }
    } catch (error) {
      return refused(visit, view, error)
    }
  },
}

/** `against`: it was stored, and the provider says something else. */
const cameOf = (outcome: Outcome): 'decided' | 'proposed' | 'against' => {
  if ('proposed' in outcome) return 'proposed'
  return outcome.result.facts.providerDisagrees === true ? 'against' : 'decided'
}

async function findOpen(visit: OwnVisit, { ctx }: View): Promise<CaseDetail | null> {
  return getCase(ctx, nameOf(visit)).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  })
}

/** The case behind this one, else the first, else the empty desk. */
async function nextAddress({ ctx, world, merchantId }: View, { found }: CaseDetail, done: string) {
  const about = { merchantId: merchantId ?? undefined, limit: 2 }
  const isOther = (each: { subject: string; kind: string }) =>
    each.subject !== found.subject || each.kind !== found.kind
  const behind = await listDesk(ctx, { ...about, after: found.position })
  const next = behind.cases.find(isOther) ?? (await listDesk(ctx, about)).cases.find(isOther)
  return `${next ? caseAddress(world, next) : `/${world}/desk`}?done=${done}`
}

/** Somebody may have decided, or the payment may have moved, while this was asked. */
async function refused(visit: OwnVisit, view: View, error: unknown): Promise<Shown> {
  const code = error instanceof AppError ? error.code : ''
  const key = REFUSALS[code]
  if (!key) throw error
  const now = await findOpen(visit, view)
  if (!now) return caseScreen(visit, view)
  return caseScreen(visit, view, translateAny(visit.locale, now.seen === visit.form.seen ? key : 'caseMoved'))
}

const REFUSALS: Record<string, ConsoleKey> = {
  payment_not_eligible: 'caseContradicted',
  provider_unavailable: 'caseProviderSilent',
  not_found: 'caseMoved',
  validation_failed: 'choiceMissing',
  raw_card_data_rejected: 'refused_card',
  operation_disabled: 'caseDisabled',
  operation_not_configured: 'caseDisabled',
}

const question: ConsolePage = {
  method: 'post',
  path: '/:world/desk/:kind/:case/ask',
  needs: 'desk decide',
  async handle(visit) {
    const view = await viewOf(visit)
    const detail = await findOpen(visit, view)
    const to = caseAddress(view.world, nameOf(visit))
    if (!detail?.timeline || !detail.canAsk) return { kind: 'redirect', to }
    const { payment } = detail.timeline
    const asked = await ask(writing(visit, 'payment ask', payment.id), payment)
    return { kind: 'redirect', to: addressWith(to, { asked }) }
  },
}

async function ask(ctx: Context, payment: AttemptedPayment): Promise<QuestionOutcome> {
  const { payment: now, isDefinite } = await askAboutAttempt(ctx, payment)
  await ctx.exchangeLog.flush()
  if (now.version !== payment.version) return 'changed'
  return isDefinite ? 'same' : 'unclear'
}

export const DECISION_PAGES: readonly ConsolePage[] = [decision, question]
