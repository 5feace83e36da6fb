/**
 * Onboarding: what a merchant has to show before it gets a token for real money. Nothing is ticked off by hand: each step
 * is read from what has happened.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Queryable } from '../storage/db.ts'
import { type CheckLine, findLatestCallbackCheck } from '../storage/events/callback-checks.ts'
import {
  deleteEvidence,
  type EvidenceRecord,
  type EvidenceStep,
  listEvidence,
  noteTestPayments,
  upsertEvidence,
} from '../storage/merchants/onboarding.ts'
import { getMerchant } from './merchant.ts'
import { moment } from './moment.ts'
import { listOriginReviews } from './origin.ts'

export const STEPS = ['domain_reviewed', 'callback_verified', 'test_payment'] as const
export type StepName = (typeof STEPS)[number]
/** `next`: what closes an open step; null once it is done. */
export type Step = { step: StepName; title: string; done: boolean; detail: string; next: string | null }
export type Onboarding = { complete: boolean; steps: Step[] }

const ADMIN = 'npm run -s admin --'

/** The merchant's onboarding as it stands, in either world. @throws AppError not_found for no such merchant */
export async function getOnboarding(ctx: Context, merchantId: string): Promise<Onboarding> {
  const { callbackUrl } = await getMerchant(ctx, merchantId)
  if (ctx.world === 'sandbox') await noteTestPayments(ctx.db, { merchantId, beforeEventId: null })
  const evidence = await listEvidence(ctx.db, merchantId)
  const found = (step: EvidenceStep) => evidence.find((each) => each.step === step)
  const steps = await Promise.all([
    reviewStep(ctx, merchantId),
    callbackStep(ctx, { merchantId, callbackUrl, verified: found('callback_verified') }),
    testPaymentStep(found('test_payment')),
  ])
  return { complete: steps.every(({ done }) => done), steps }
}

/**
 * Notes what the checks of the sandbox's callback URL showed; null: the URL has not passed, or is another one now. Only the
 * sandbox's counts: the live world's URL is set when the merchant goes live.
 */
export async function noteCallbackEvidence(
  ctx: Context,
  db: Queryable,
  merchantId: string,
  verifiedUrl: string | null,
): Promise<void> {
  if (ctx.world !== 'sandbox') return
  const step = 'callback_verified'
  if (verifiedUrl === null) return deleteEvidence(db, merchantId, step)
  await upsertEvidence(db, merchantId, { step, what: verifiedUrl, notedAt: ctx.clock.now() })
}

/** @throws AppError validation_failed that names each open step and what closes it. */
export async function expectOnboarded(ctx: Context, merchantId: string): Promise<void> {
  const { complete, steps } = await getOnboarding(ctx, merchantId)
  if (complete) return
  const open = steps.filter(({ done }) => !done)
  const lines = open.map(({ step, title, detail }) => `  ${step}: ${title}. ${detail}`)
  throw new AppError('validation_failed', {
    message: `Live tokens and live public keys need the merchant's completed onboarding. Still open:\n${lines.join('\n')}`,
    errors: Object.fromEntries(open.map(({ step, detail }) => [step, detail])),
    hint: open.map(({ next }) => next).join('\n'),
  })
}

async function reviewStep(ctx: Context, merchantId: string): Promise<Step> {
  const approved = (await listOriginReviews(ctx, merchantId)).filter(({ approvedAt }) => approvedAt)
  const names = approved.map(({ origin }) => origin).join(', ')
  return describe('domain_reviewed', 'The domain is reviewed', {
    done: names && `Approved: ${names}.`,
    open: 'None of its origins is approved.',
    next: `${ADMIN} origin approve --merchant ${merchantId} --origin https://shop.example`,
  })
}

async function callbackStep(
  ctx: Context,
  given: { merchantId: string; callbackUrl: string | null; verified: EvidenceRecord | undefined },
): Promise<Step> {
  const { merchantId, callbackUrl: url, verified } = given
  const isUnset = ctx.world === 'sandbox' && url === null
  return describe('callback_verified', 'The callback URL is verified by signed test events', {
    done: verified ? `${verified.what} passed every check at ${moment(verified.notedAt)}.` : '',
    open: isUnset ? 'It has no callback URL.' : await whyUnverified(ctx, merchantId, url),
    next: isUnset
      ? `${ADMIN} callback set --merchant ${merchantId} --url https://shop.example/kassa/callback`
      : `${ADMIN} callback verify --merchant ${merchantId} --sandbox`,
  })
}

async function whyUnverified(ctx: Context, merchantId: string, url: string | null): Promise<string> {
  if (ctx.world !== 'sandbox' || url === null) return 'No callback URL has passed the checks in the sandbox.'
  const check = await findLatestCallbackCheck(ctx.db, merchantId, url)
  if (!check) return `${url} has not been tried.`
  const missing = check.checks.filter(isFault).map(({ name }) => name)
  return `${url} did not pass: ${missing.join(', ') || check.failure}.`
}

async function testPaymentStep(test: EvidenceRecord | undefined): Promise<Step> {
  return describe('test_payment', 'A test payment was paid in the sandbox, and its event accepted', {
    done: test ? `Payment ${test.what}; its event was accepted at ${moment(test.notedAt)}.` : '',
    open: 'No event of a payment that was paid in the sandbox has been accepted by the callback.',
    next: 'Pay for one order in the sandbox, and let the callback URL accept the event (status 2xx).',
  })
}

/** `done`: what was seen; empty while the step is open. */
function describe(
  step: StepName,
  title: string,
  { done, open, next }: { done: string; open: string; next: string },
): Step {
  const isDone = done !== ''
  return { step, title, done: isDone, detail: isDone ? done : open, next: isDone ? null : next }
}

/** A check of the callback that warns, and stands in nobody's way. */
export const WARNING = 'answers_fast'

/** Whether a line has to pass before the callback counts as verified. */
export function isMandatory({ name }: Pick<CheckLine, 'name'>): boolean {
  return name !== WARNING
}

/** A mandatory line that was tried and did not pass: what there is to mend. */
export function isFault(line: CheckLine): boolean {
  return !line.passed && !line.skipped && isMandatory(line)
}
