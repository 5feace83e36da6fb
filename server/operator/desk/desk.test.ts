/** Every kind of case is on the desk, in order and page by page, and leaves it with its cause. */
import { expect, test } from 'vitest'
import { NOUNS } from '../../admin/parser.ts'
import { addOperator } from '../../audit/people.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { noteRefundRefusal } from '../../storage/returns/refund-refusals.ts'
import { openShop } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'
import { CASE_KINDS, countDesk } from './desk.ts'

const DAY_MS = 24 * 3_600_000

const { kassa, shop, buy } = await openScene({}, { callbackUrl: 'https://shop.example/callback' })

async function run(...args: string[]) {
  const { answer } = await operateJson({}, args, (_settings, words) =>
    operateHere(async () => kassa.ctx, words),
  )
  return answer
}
const desk = (...more: string[]) => run('desk', 'list', ...more)
const query = (text: string, values: unknown[] = []) => kassa.ctx.db.query(text, values)

async function pay(outcome: string, amountMinor = 1900): Promise<string> {
  return buy({ amountMinor }, outcome)
}

/** Brings about one case of each kind that only a provider, a register or a receiver could. */
async function fill(paymentId: string) {
  const { merchantId } = shop
  const at = kassa.ctx.clock.now()
  const [account] = (await query('select id from sandbox.accounts order by id limit 1')).rows
  await query(`update sandbox.receivers set paused_at = $2 where merchant_id = $1`, [merchantId, at])
  await query(`update sandbox.events set state = 'exhausted', due_at = null where payment_id = $1`, [
    paymentId,
  ])
  await query(
    `insert into sandbox.account_health (account_id, state, since, reason, refusal, due_at)
     values ($1, 'refusing', $2, 'wrong secret', 'credentials', $2) on conflict (account_id) do update
     set state = 'refusing', since = $2, reason = 'wrong secret', refusal = 'credentials', due_at = $2`,
    [account.id, at],
  )
  await query(
    `insert into sandbox.statement_findings (account_id, id, kind, side, merchant_id, payment_id, attempt, ours_minor, theirs_minor, currency, their_currency, found_at)
     values ($1, 'one', 'differing', 'taken', $2, $3, 1, 1900, 1800, 'USD', 'USD', $4)`,
    [account.id, merchantId, paymentId, at],
  )
  await insertPaymentWarning(kassa.ctx.db, {
    merchantId,
    paymentId,
    detail: 'differs from the statement',
    createdAt: at,
  })
  await query(
    `insert into sandbox.receipts (merchant_id, id, payment_id, kind, amount_minor, currency, account_id, register, status, status_reason, created_at, updated_at)
     values ($1, 'rcp_test_1', $2, 'refund', 1900, 'USD', $3, 'r', 'failed', 'no paper', $4, $4)`,
    [merchantId, paymentId, account.id, at],
  )
  await query(
    `insert into sandbox.operations (merchant_id, id, type, payment_id, attempt, provider, account_id, status, status_reason, amount_minor, currency,
       scope, key, fingerprint, created_at, updated_at)
     values ($1, 'opr_test_1', 'refund', $2, 1, 'route_a', $3, 'requires_operator_review', 'no answer', 500, 'USD', 's', 'k', 'f', $4, $4)`,
    [merchantId, paymentId, account.id, at],
  )
  await noteRefundRefusal(
    kassa.ctx.db,
    { merchantId, tokenId: 'tok_test_1', currency: 'USD', paymentId, amountMinor: 1900 },
    at,
  )
  await query(`insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values ($1, $1, 1)`, [
    at,
  ])
  const { operator } = await addOperator(kassa.ctx, { name: 'Ani', role: 'administrator' })
  await query(
    `insert into kassa.proposals (id, world, what, about, merchant_id, key_id, sealed, proposed_by, proposed_at, expires_at)
     values ('apr_1', 'sandbox', 'callback set', 'to a new address', $1, 'k', '\\x00', $2, $3, $4)`,
    [merchantId, operator.id, at, new Date(Date.now() + DAY_MS)],
  )
}

test('the desk has each kind of case, and each names a command that exists', async () => {
  expect(await desk()).toMatchObject({ cases: [], next: null })
  const unknown = [await pay('unknown', 1900), await pay('unknown', 4500)]
  const disputed = await pay('paid')
  await query(`update sandbox.payments set status = 'disputed', version = version + 1 where id = $1`, [
    disputed,
  ])
  const warned = await pay('paid', 700)
  const createdAt = new Date(kassa.ctx.clock.now().getTime() - 2 * DAY_MS)
  const { merchantId } = shop
  await insertPaymentWarning(kassa.ctx.db, {
    merchantId,
    paymentId: warned,
    detail: 'give the money of attempt 1 back',
    createdAt,
  })
  await fill(await pay('paid'))
  const { cases } = await desk('--limit', '100')
  expect([...new Set(cases.map(({ kind }: { kind: string }) => kind))].sort()).toEqual([...CASE_KINDS].sort())
  // A difference that names a payment is one case, and not also a warning.
  expect(cases).toHaveLength(CASE_KINDS.length + 1)
  // The oldest first, and of one day the largest sum.
  expect(cases[0]).toMatchObject({
    kind: 'warning',
    subject: warned,
    amountMinor: 700,
    what: 'give the money of attempt 1 back',
  })
  expect(cases[0].ageSeconds).toBeGreaterThanOrEqual((2 * DAY_MS) / 1000)
  expect(cases[1]).toMatchObject({
    kind: 'undecided',
    subject: unknown[1],
    merchantName: 'Test shop',
    currency: 'USD',
  })
  for (const { next } of cases) {
    const [noun, verb, ...flags] = (next as string).split(' -- ')[1]?.split(' ') ?? []
    const found = NOUNS.find(({ name }) => name === noun)?.verbs.find(({ name }) => name === verb)
    expect(found, next).toBeDefined()
    for (const flag of flags.filter((each) => each.startsWith('--')))
      expect(Object.keys(found?.flags ?? {}), next).toContain(flag.slice(2))
  }
})

test('pages follow one another without a gap, and the text says what each case is', async () => {
  const { cases } = await desk('--limit', '100')
  const paged = []
  for (let after: string | null = ''; after !== null; ) {
    const page: { cases: unknown[]; next: string | null } = await desk(
      '--limit',
      '2',
      ...(after ? ['--after', after] : []),
    )
    paged.push(...page.cases.map((each) => (each as { subject: string }).subject))
    after = page.next
  }
  expect(paged).toEqual(cases.map(({ subject }: { subject: string }) => subject))
  const other = await openShop(kassa.ctx)
  expect((await desk('--merchant', other.merchantId)).cases).toEqual([])
  const kinds = (await desk('--kind', 'undecided')).cases.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toEqual(['undecided', 'undecided'])
  const { stdout } = await operateHere(async () => kassa.ctx, ['desk', 'list', '--kind', 'operation'])
  expect(stdout).toMatch(/operation with an unknown outcome +opr_test_1\n.*Waits.*\n +Money +5.00 USD\n/)
  expect(stdout).toContain('operation show --operation opr_test_1')
})

test('the numbers of the desk are those of its list, also of a payment with several warnings', async () => {
  const { cases } = await desk('--limit', '100')
  const [{ subject: paymentId }] = cases.filter(({ kind }: { kind: string }) => kind === 'warning')
  const settled = { paymentId, merchantId: shop.merchantId, createdAt: kassa.ctx.clock.now() }
  for (const detail of ['a second thing', 'zz a third one'])
    await insertPaymentWarning(kassa.ctx.db, { ...settled, detail })
  const listed = Map.groupBy(cases, ({ kind }: { kind: string }) => kind)
  const counted = await countDesk(kassa.ctx, shop.merchantId)
  expect(counted.filter(({ kind }) => kind === 'warning')).toEqual([
    { kind: 'warning', count: listed.get('warning')?.length },
  ])
  await query(`delete from sandbox.payment_warnings where detail in ('a second thing', 'zz a third one')`)
})

test('a case leaves the desk with its cause, and a warning when a person settles it', async () => {
  const warnings = async () => (await desk('--kind', 'warning')).cases
  const [{ subject }] = await warnings()
  const words = ['desk', 'settle', '--payment', subject, '--why', 'it is back']
  expect((await run(...words, '--dry-run')).settled).toEqual(['give the money of attempt 1 back'])
  expect(await warnings()).toHaveLength(1)
  expect((await run(...words)).settled).toHaveLength(1)
  expect(await warnings()).toEqual([])
  expect((await run(...words)).error.code).toBe('not_found')
  const { warnings: kept } = await run('payment', 'show', '--payment', subject)
  expect(kept[0]).toMatchObject({ settledBy: 'tester', settledWhy: 'it is back' })
  const { rows } = await query(`select what from kassa.audit_log where about like $1`, [`%${subject}%`])
  expect(rows).toContainEqual({ what: 'desk settle' })
  const [{ subject: id }] = (await desk('--kind', 'undecided')).cases
  await run('payment', 'resolve', '--payment', id, '--as', 'failed', '--why', 'no money')
  expect(
    (await desk('--kind', 'undecided')).cases.map((each: { subject: string }) => each.subject),
  ).not.toContain(id)
})
