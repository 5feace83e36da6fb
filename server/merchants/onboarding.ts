/**
 * Onboarding: the steps that a merchant must complete before it gets a token for real money.
 * Rule: nobody marks a step as done. Each step is derived from stored facts.
 */
import type { Context } from '../context.ts'
import { AppError, type NextAct } from '../errors.ts'
import { type CheckLine, findLatestCallbackCheck } from '../storage/events/callback-checks.ts'
import { findAcceptedTestEvent } from '../storage/events/events.ts'
import { getMerchant } from './merchant.ts'
import { moment } from './moment.ts'
import { listOriginReviews } from './origin.ts'

export const STEPS = ['domain_reviewed', 'callback_verified', 'test_payment'] as const
export type StepName = (typeof STEPS)[number]
/** `next`: the operator's act that closes an open step. Null if the step is done, or if only the merchant can close it. */
export type Step = { step: StepName; title: string; done: boolean; detail: string; next: NextAct | null }
export type Onboarding = { complete: boolean; steps: Step[] }

/** Returns the current state of the merchant's onboarding. @throws AppError not_found */
export async function getOnboarding(ctx: Context, merchantId: string): Promise<Onboarding> {
  const { callbackUrl } = await getMerchant(ctx, merchantId)
  const steps = await Promise.all([
    reviewStep(ctx, merchantId),
    callbackStep(ctx, merchantId, callbackUrl),
    testPaymentStep(ctx, merchantId),
  ])
  return { complete: steps.every(({ done }) => done), steps }
}

/** @throws AppError validation_failed that names each open step, and the acts that close them */
export async function expectOnboarded(ctx: Context, merchantId: string): Promise<void> {
  const { complete, steps } = await getOnboarding(ctx, merchantId)
  if (complete) return
  const open = steps.filter(({ done }) => !done)
  const lines = open.map(({ step, title, detail }) => `  ${step}: ${title}. ${detail}`)
  throw new AppError('validation_failed', {
    message: `A live token needs a completed onboarding. Still open:\n${lines.join('\n')}`,
    errors: Object.fromEntries(open.map(({ step, detail }) => [step, detail])),
    next: open.flatMap(({ next }) => next ?? []),
  })
}

async function reviewStep(ctx: Context, merchantId: string): Promise<Step> {
  const approved = (await listOriginReviews(ctx, merchantId)).filter(({ approvedAt }) => approvedAt)
  const names = approved.map(({ origin }) => origin).join(', ')
  return describe('domain_reviewed', 'The domain is reviewed', {
    done: names && `Approved: ${names}.`,
    open: 'No origin of the merchant is approved.',
    next: { act: 'approve_origin', merchantId },
  })
}

async function callbackStep(ctx: Context, merchantId: string, url: string | null): Promise<Step> {
  const title = 'The callback URL is verified by signed test events'
  if (url === null)
    return describe('callback_verified', title, {
      done: '',
      open: 'The merchant has no callback URL.',
      next: { act: 'set_callback', merchantId },
    })
  const check = await findLatestCallbackCheck(ctx.db, merchantId, url)
  const failed = check?.checks.filter(isFault) ?? []
  const missing = failed.map(({ name }) => name).join(', ')
  return describe('callback_verified', title, {
    done: check?.accepted ? `${url} passed every check at ${moment(check.createdAt)}.` : '',
    open: check ? `${url} did not pass: ${missing || check.failure}.` : `${url} has not been verified yet.`,
    next: { act: 'verify_callback', merchantId },
  })
}

async function testPaymentStep(ctx: Context, merchantId: string): Promise<Step> {
  const test = await findAcceptedTestEvent(ctx.db, merchantId)
  return describe('test_payment', 'A test payment was paid in sandbox mode, and its event accepted', {
    done: test ? `Payment ${test.paymentId}; its event was accepted at ${moment(test.deliveredAt)}.` : '',
    open: 'The callback URL has not accepted an event of a payment that was paid in sandbox mode. Pay for one order in sandbox mode, and let the callback URL answer its event with a 2xx status.',
    next: null,
  })
}

/** `done`: the evidence for the step; empty while the step is open. */
function describe(
  step: StepName,
  title: string,
  { done, open, next }: { done: string; open: string; next: NextAct | null },
): Step {
  const isDone = done !== ''
  return { step, title, done: isDone, detail: isDone ? done : open, next: isDone ? null : next }
}

/** This check of the callback only warns. It does not block the onboarding. */
export const WARNING = 'answers_fast'

/** Whether this check must pass before the callback counts as verified. */
export function isMandatory({ name }: Pick<CheckLine, 'name'>): boolean {
  return name !== WARNING
}

/** Whether this check is mandatory, was tried, and did not pass. */
export function isFault(line: CheckLine): boolean {
  return !line.passed && !line.skipped && isMandatory(line)
}
