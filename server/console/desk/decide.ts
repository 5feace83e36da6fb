/** Deciding a case, and asking its provider once more. Whoever has decided one is led to the next. */
import type { Act } from '../../acts/policy.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type CaseDetail, getCase } from '../../operator/desk/case.ts'
import { checkDecision, decideCase } from '../../operator/desk/decide.ts'
import { listDesk } from '../../operator/desk/desk.ts'
import { askAboutAttempt } from '../../payments/attempts/question.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { goesBack } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Shown } from '../page.ts'
import { addressWith } from '../parts.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'
import { type View, viewOf, writing } from '../world.ts'
import { caseScreen, nameOf, type QuestionOutcome, WHY_CHARS_MAX } from './case.ts'
import { caseAddress } from './list.ts'
import { findPartOf } from './part.ts'
import { asksTwice, sureScreen } from './sure.ts'

const NUMBER_CHARS_MAX = 60
/** The verb of each kind, as the log of acts names it. */
const VERBS: Partial<Record<CaseDetail['found']['kind'], Act>> = {
  undecided: 'payment resolve',
  operation: 'operation resolve',
  receipt: 'receipt resolve',
  warning: 'desk settle',
  refund_limit: 'desk settle',
  difference: 'reconcile close',
}

const decision: ConsolePage = {
  method: 'post',
  path: '/:world/desk/:kind/:case',
  needs: 'desk decide',
  async handle(visit) {
    const { form, user, locale } = visit
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
    const { subject, kind } = detail.found
    const ctx = writing(visit, VERBS[kind] ?? 'desk decide', subject)
    const decided = { choice: form.choice ?? '', why, seen: form.seen ?? '', number, accepts }
    try {
      if (asksTwice(detail) && form.confirm !== 'yes') {
        checkDecision(detail, decided)
        return sureScreen(visit, { detail, decision: decided })
      }
      const done = await decideCase(ctx, user, detail, decided)
      return { kind: 'redirect', to: await nextAddress(view, detail, done) }
    } catch (error) {
      return refused(visit, view, error)
    }
  },
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
