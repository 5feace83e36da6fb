import { userInfo } from 'node:os'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askAboutPayment } from '../payments/attempts/question.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { operate, operateHere, operateJson, operateProcess } from '../testing/operator.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const { kassa, shop } = await openScene()
let settings: Record<string, string>
let orders = 0
beforeAll(async () => {
  settings = { DATABASE_URL: kassa.databaseUrl, USER: 'ani' }
})

async function open(provider: string): Promise<{ id: string; providerCheckoutUrl: string }> {
  const merchantOrderId = `operator-${orders++}`
  return (await createSession(kassa.url, shop, { body: sessionRequest({ merchantOrderId, provider }) })).body
}
const find = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment

/** Runs a command in this process, as `tester`. */
async function runCommand(...args: string[]) {
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  if (stderr !== '') throw new Error(stderr)
  return { code, answer: JSON.parse(stdout) }
}
const read = async (...args: string[]) => (await operateHere(async () => kassa.ctx, args)).stdout

describe('payment confirm', () => {
  test('marks a manual payment as paid once, and stores the operator and the reference', async () => {
    const { id } = await open('manual')
    const args = ['payment', 'confirm', '--payment', id, '--reference', 'RF18 5390']
    const first = await operateJson(settings, args, operateProcess)
    expect(first.answer).toMatchObject({
      ok: true,
      confirmed: true,
      payment: { status: 'paid', capturedMinor: 1900 },
    })
    expect(first.answer.timeline.at(-1)).toMatchObject({
      from: 'pending_redirect',
      to: 'paid',
      cause: 'operator',
      actor: 'ani',
      detail: 'bank reference RF18 5390',
    })
    const again = await runCommand(...args)
    expect([again.code, again.answer.confirmed, again.answer.timeline.length]).toEqual([0, false, 2])
    const late = await runCommand('payment', 'confirm', '--payment', id, '--reference', 'RF99')
    expect([late.code, late.answer.error.code]).toEqual([1, 'payment_not_eligible'])
    expect(late.answer.error.message).toContain('RF18 5390')
    expect((await lookUp(kassa.url, shop, id)).body.status).toBe('paid')
    expect(await read('payment', 'show', '--payment', id)).toContain('operator (ani)')
  })

  test('names the account of the machine where the environment names nobody', {
    tags: ['long'],
  }, async () => {
    const { id } = await open('manual')
    const nameless = await operateJson(
      { DATABASE_URL: kassa.databaseUrl },
      ['payment', 'confirm', '--payment', id, '--reference', 'RF19'],
      operateProcess,
    )
    expect(nameless.answer.timeline.at(-1).actor).toBe(userInfo().username)
  })

  test('is rejected if the provider reports money itself, and accepts late money for a cancelled manual payment', async () => {
    const { id } = await open('route_a')
    const refused = await runCommand('payment', 'confirm', '--payment', id, '--reference', 'R1')
    expect([refused.code, refused.answer.error.code]).toEqual([1, 'payment_not_eligible'])
    expect((await find(id)).status).toBe('pending_redirect')
    const manual = await open('manual')
    await runCommand(
      'payment',
      'resolve',
      '--payment',
      manual.id,
      '--as',
      'cancelled',
      '--why',
      'the buyer rang',
    )
    expect((await find(manual.id)).status).toBe('cancelled')
    const late = await runCommand('payment', 'confirm', '--payment', manual.id, '--reference', 'R2')
    expect(late.answer.timeline.map(({ to, actor }: { to: string; actor: string }) => [to, actor])).toEqual([
      ['pending_redirect', null],
      ['cancelled', 'tester'],
      ['paid', 'tester'],
    ])
  })
})

describe('payment resolve', () => {
  async function unknown(): Promise<string> {
    const { id, providerCheckoutUrl } = await open('route_a')
    await payAtBank(providerCheckoutUrl, 'unknown')
    expect((await find(id)).status).toBe('status_unknown')
    return id
  }

  test.each([
    ['paid', [1900, 1900, 0]],
    ['authorized', [1900, 0, 0]],
    ['failed', [0, 0, 0]],
    ['cancelled', [0, 0, 0]],
    ['expired', [0, 0, 0]],
    ['reversed', [0, 0, 0]],
    ['refunded', [1900, 1900, 1900]],
    ['disputed', [1900, 1900, 0]],
  ])('as %s sets the amounts, and stores the operator and the reason', async (as, amounts) => {
    const id = await unknown()
    const { answer } = await runCommand(
      'payment',
      'resolve',
      '--payment',
      id,
      '--as',
      as,
      '--why',
      'seen in the statement',
    )
    expect(answer).toMatchObject({ ok: true, providerSaid: 'status_unknown', providerDisagrees: false })
    const { status, authorizedMinor, capturedMinor, refundedMinor } = await find(id)
    expect([status, authorizedMinor, capturedMinor, refundedMinor]).toEqual([as, ...amounts])
    expect(answer.timeline.at(-1)).toMatchObject({
      cause: 'operator',
      actor: 'tester',
      detail: 'seen in the statement',
    })
  })

  test('needs a status that a person may decide, and an unclear payment', async () => {
    const { id } = await open('route_a')
    for (const as of ['paid', 'failed', 'cancelled'])
      expect(
        (await runCommand('payment', 'resolve', '--payment', id, '--as', as, '--why', 'w')).answer.error.code,
      ).toBe('payment_not_eligible')
    expect((await find(id)).status).toBe('pending_redirect')
    const created = await runCommand('payment', 'resolve', '--payment', id, '--as', 'created', '--why', 'w')
    expect(created.answer.error.code).toBe('validation_failed')
    const manual = await open('manual')
    const paid = await runCommand('payment', 'resolve', '--payment', manual.id, '--as', 'paid', '--why', 'w')
    expect(paid.answer.error.hint).toContain(`payment confirm --payment ${manual.id} --reference`)
  })

  test('asks the provider first, and changes nothing if the provider knows the outcome', async () => {
    const id = await unknown()
    const { route_a: route } = kassa.ctx.routes
    const driver = route.driver
    const look = driver?.lookUp
    if (!driver || !look) throw new Error('route_a can be asked')
    kassa.ctx.routes.route_a = {
      ...route,
      driver: {
        ...driver,
        async lookUp(call, order) {
          const found = await look(call, order)
          if (found.kind !== 'found') return found
          const money = { authorizedMinor: 1900, capturedMinor: 1900, refundedMinor: 0 }
          return { ...found, snapshot: { ...found.snapshot, ...money, order: 'completed' } }
        },
      },
    }
    const { code, answer } = await runCommand(
      'payment',
      'resolve',
      '--payment',
      id,
      '--as',
      'failed',
      '--why',
      'w',
    )
    kassa.ctx.routes.route_a = route
    expect([code, answer.error.message]).toEqual([1, expect.stringContaining('it is paid now')])
    expect((await find(id)).status).toBe('paid')
  })

  test('warns if the provider disagrees, and stores the disagreement', async () => {
    const id = await unknown()
    await kassa.ctx.db.query('delete from sandbox.sandbox_orders where reference = $1', [
      (await find(id)).attempt.reference,
    ])
    const { answer } = await runCommand(
      'payment',
      'resolve',
      '--payment',
      id,
      '--as',
      'paid',
      '--why',
      'cash',
    )
    expect(answer).toMatchObject({ providerSaid: 'no such order', providerDisagrees: true })
    expect(answer.timeline.at(-1).detail).toBe('cash (the provider: no such order)')
  })

  test('unclear payments can be listed by their status', async () => {
    const id = await unknown()
    const { answer } = await runCommand('payment', 'list', '--status', 'status_unknown')
    expect(answer.payments.map((each: { id: string }) => each.id)).toContain(id)
    expect(new Set(answer.payments.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['status_unknown']),
    )
    expect(await read('payment', 'show', '--payment', id)).toContain('payment resolve')
  })
})

describe('operations', () => {
  let ledger: Ledger
  beforeEach(() => {
    ledger = openLedger(kassa.ctx)
  })

  /** A refund of 5.00 without a response, and without a trace in the provider's records. A person has to decide. */
  async function underReview() {
    const { id } = await open('route_a')
    await lookUp(kassa.url, shop, id)
    ledger.bends = ['drop']
    const answer = await askOperation(kassa.url, shop, id, 'refunds', {
      key: `review-${id}`,
      body: { amountMinor: 500, reason: 'broken' },
    })
    for (let minute = 0; minute < 15; minute++) {
      await SWEEPS.moneyOperations(kassa.ctx)
      kassa.clock.advance(61_000)
    }
    return { paymentId: id, operationId: answer.body.operation.id as string }
  }

  test('an operation under review is listed, shown with its history, and resolved', async () => {
    const { paymentId, operationId } = await underReview()
    const of = ['--merchant', shop.merchantId, '--payment', paymentId, '--status', 'requires_operator_review']
    const { answer: listed } = await runCommand('operation', 'list', ...of)
    expect(listed).toMatchObject({ operations: [{ id: operationId, amountMinor: 500 }], next: null })
    const shown = await operate(settings, ['operation', 'show', '--operation', operationId])
    expect(shown.stdout).toContain('operation resolve')
    expect(shown.stdout).toContain('Provider before')
    const words = ['--operation', operationId, '--as', 'succeeded', '--why', 'in the statement']
    const early = await runCommand('operation', 'resolve', ...words)
    expect([early.code, early.answer.error.code]).toEqual([1, 'payment_not_eligible'])
    expect(early.answer.error.message).toContain('paid with 1900 captured and 0 refunded')
    const {
      attempt: { reference: providerReference },
    } = await find(paymentId)
    ledger.move(providerReference, { order: 'completed', refundedMinor: 500 })
    const { answer } = await runCommand('operation', 'resolve', ...words)
    expect(answer.operation).toMatchObject({ status: 'succeeded', statusReason: 'in the statement' })
    expect(answer.history.at(-1)).toMatchObject({
      cause: 'operator',
      actor: 'tester',
      detail: 'in the statement',
    })
    expect(await find(paymentId)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
    const twice = await runCommand('operation', 'resolve', ...words)
    expect([twice.code, twice.answer.error.code]).toEqual([1, 'payment_not_eligible'])
    const text = await read('payment', 'show', '--payment', paymentId)
    expect(text).toMatch(new RegExp(`${operationId} +refund +succeeded +5.00 USD +in the statement`))
  })

  test('a refund that the provider has already reported is not counted twice when an operator resolves it as succeeded', async () => {
    const { paymentId, operationId } = await underReview()
    const record = await find(paymentId)
    ledger.move(record.attempt.reference, { order: 'completed', refundedMinor: 500 })
    await askAboutPayment(kassa.ctx, record)
    expect(await find(paymentId)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
    const output = await runCommand(
      'operation',
      'resolve',
      '--operation',
      operationId,
      '--as',
      'succeeded',
      '--why',
      'w',
    )
    expect([output.code, output.answer.operation.status]).toEqual([0, 'succeeded'])
    expect(await find(paymentId)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      version: record.version + 1,
    })
  })

  test('an unknown operation is not_found', async () => {
    for (const verb of ['show', 'resolve']) {
      const more = verb === 'resolve' ? ['--as', 'failed', '--why', 'w'] : []
      const { code, answer } = await runCommand('operation', verb, '--operation', 'opr_nosuch', ...more)
      expect([code, answer.error.code]).toEqual([1, 'not_found'])
    }
  })
})
