/** Totals, and statements compared with the books in the console: read once, said in words, and decided on the desk. */
import { expect, test } from 'vitest'
import { readAuditChain } from '../../storage/audit/log.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { hiddenIn } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { dropOldUploads } from '../../worker/retention.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

let orders = 0
const { kassa, shop, signIn } = await openConsole()
await signIn('administrator')
const operator = await signIn('operator')
const owner = await signIn('shop')

const address = () => `/sandbox/statements/${kassa.ctx.routes.route_a.id}`
const day = (days: number) => new Date(kassa.clock.now().getTime() + days * 86_400_000).toISOString()
/** The first and the last line cover a month, so the books must be complete. */
const fileOf = (...lines: string[]) =>
  ['id,Date,Sum,Type,Text', `first,${day(-20)},0,x,`, ...lines, `last,${day(20)},0,x,`].join('\n')
/** Returns the page on which the person looks at the file, or the refusal. `path`: its address. */
async function upload(content: string | Buffer, browser = operator) {
  const statement = new File([new Uint8Array(Buffer.from(content))], 'statement.csv', { type: 'text/csv' })
  const answer = await browser.postFiles(address(), { statement })
  const path = answer.location ?? ''
  return { path, page: path === '' ? answer : await browser.get(path) }
}
/** Stores what the page shows. Returns the page to which the comparison leads, or the refusal. */
async function store(path: string, page: { text: string }, browser = operator) {
  const [form = ''] = /<form method="post" action="[^"]*\/uploads\/[\s\S]*?<\/form>/.exec(page.text) ?? []
  const answer = await browser.post(path, hiddenIn(form))
  return answer.location === null ? answer : browser.get(answer.location)
}
/** Does both, where nothing is open. */
async function give(text: string, browser = operator) {
  const { path, page } = await upload(text, browser)
  return page.text.includes('Nothing is stored yet.') ? store(path, page, browser) : page
}
const linkTo = (text: string, answer: string) => {
  const [, href = ''] = new RegExp(`href="([^"]+)"[^>]*>(?:<bdi>)?${answer}`).exec(text) ?? []
  return href.replaceAll('&amp;', '&')
}
const storedLines = async () =>
  (await kassa.ctx.db.query('select count(*)::int as count from sandbox.statement_lines')).rows[0].count
const uploads = async () =>
  (await kassa.ctx.db.query('select count(*)::int as count from sandbox.statement_uploads')).rows[0].count

async function pay(amountMinor: number, of = shop): Promise<{ id: string; reference: string }> {
  const order = `order-${++orders}`
  const body = sessionRequest({ provider: 'route_a', merchantOrderId: order, amountMinor })
  const { body: session } = await createSession(kassa.url, of, { key: order, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  await lookUp(kassa.url, of, session.id)
  const { rows } = await kassa.ctx.db.query('select reference from sandbox.attempts where payment_id = $1', [
    session.id,
  ])
  return { id: session.id, reference: rows[0].reference }
}
const factOf = (text: string, name: string) => new RegExp(`<dt>${name}</dt><dd>([^<]*)</dd>`).exec(text)?.[1]

test('the columns of a new statement are said once, and a wrong answer is refused in words', async () => {
  const { path, page } = await upload(fileOf())
  expect([page.status, page.text.includes('In which currency are the amounts?')]).toEqual([200, true])
  const question = await operator.get(`${path}/columns`)
  expect(question.text).toMatch(/name="at"[\s\S]*?<option value="Date" selected/)
  const form = {
    at: 'Date',
    amount: 'Sum',
    id: 'id',
    'orders-4': 'yes',
    kind: 'Type',
    words_taken: 'in\r\n',
    words_returned: 'out',
    fixedCurrency: 'usd',
    dates: 'ymd',
    decimalSign: '.',
    timeZone: 'UTC',
  }
  for (const wrong of [
    { at: '' },
    { fixedCurrency: 'dollar' },
    { timeZone: 'Nowhere/Else' },
    { dates: 'x' },
  ]) {
    const answer = await operator.post(`${path}/columns`, { ...form, ...wrong })
    expect([wrong, answer.status]).toEqual([wrong, 422])
    expect(answer.text).toContain('Choose the columns of the date')
    expect(answer.text).toMatch(/name="amount"[\s\S]*?<option value="Sum" selected/)
    expect(answer.text).toMatch(/name="orders-4"[^>]*checked/)
  }
  // The file is still here, so nobody has to give it again.
  expect((await operator.post(`${path}/columns`, form)).location).toBe(path)
  expect((await operator.get(path)).text).toContain('as said for this account')
})

test('three differences are found, said and decided, and the same file again changes nothing', async () => {
  const [good, other, missing] = [await pay(1500), await pay(2000), await pay(2500)]
  const now = kassa.clock.now().toISOString()
  const file = fileOf(
    `a,${now},15.00,in,${good.reference}`,
    `b,${now},19.00,in,${other.reference}`,
    `c,${now},7.00,in,nobody`,
  )
  const first = await give(file)
  expect(first.status).toBe(200)
  expect(first.text).toContain('Differences to look at: 3.')
  expect([factOf(first.text, 'Lines'), factOf(first.text, 'Agree')]).toEqual(['5', '1'])
  const links = [...first.text.matchAll(/href="([^"]+)" class="row" data-kind="(\w+)"/g)]
  expect(links.map(([, , kind]) => kind).sort()).toEqual(['differing', 'missing_here', 'missing_there'])
  for (const answer of [
    'books $20.00, statement $19.00',
    'books $25.00, statement $0.00',
    'books $0.00, statement $7.00',
  ])
    expect(first.text).toContain(answer)
  for (const [, href = ''] of links) {
    const found = await operator.get(href.replaceAll('&amp;', '&'))
    expect([href, found.status]).toEqual([href, 200])
    expect(found.text).toContain('The statement of the provider and the books do not agree.')
  }
  const stored = () =>
    kassa.ctx.db.query(
      `select (select json_agg(f order by id) from sandbox.statement_findings f) as findings,
         (select count(*) from sandbox.payment_warnings)::int as warnings, (select count(*) from sandbox.statement_lines)::int as lines`,
    )
  const before = (await stored()).rows
  for (const forged of ['x.y', '.', `k.${'A'.repeat(80)}`])
    expect((await operator.get(`${address()}?result=${forged}`)).text).not.toContain('Agree')
  const again = await give(file)
  expect(again.text).toContain('This statement was read before')
  expect(factOf(again.text, 'New or changed')).toBe('0')
  expect((await stored()).rows).toEqual(before)
  expect((await operator.get('/sandbox/desk?kind=difference')).text.match(/class="row case"/g)).toHaveLength(
    3,
  )
  const mended = fileOf(
    `a,${now},15.00,in,${good.reference}`,
    `b,${now},20.00,in,${other.reference}`,
    `m,${now},25.00,in,${missing.reference}`,
  )
  // A line that is stored with another amount: nothing is stored until a person says that this file is the right one.
  const { path, page } = await upload(mended)
  expect(page.text).toContain('An earlier statement has lines of this file')
  expect(page.text).toContain('in this file $20.00, in an earlier one $19.00')
  expect((await store(path, page)).text).toContain('An earlier statement has lines of this file')
  const right = linkTo(page.text, 'This file is right')
  const settled = await store(path, await operator.get(right))
  expect(factOf(settled.text, 'Earlier differences that are settled now')).toBe('3')
  const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(
    ({ what }) => what === 'reconcile statement',
  )
  // The first reading, the same file again, and the one that was said to be right. A refused one did nothing.
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatchObject({ who: 'A operator', about: kassa.ctx.routes.route_a.id })
})

test('a file that cannot be read is refused in words of the reader', async () => {
  const wrong: [string, string][] = [
    [fileOf(`a,soon,15.00,in,x`), 'Line 3 of the file cannot be read'],
    [fileOf(`a,${day(0)},many,in,x`), 'Line 3 of the file cannot be read'],
    ['id,Date,Sum,Type,Text', 'No line of this file moved money.'],
    ['%PDF-1.4\n%âãÏÓ\n1 0 obj', 'This kind of file is no statement that can be read here.'],
    [`id,Date,Sum,Type,Text\n"${'x'.repeat(70_000)}`, 'cannot be read'],
  ]
  for (const [text, message] of wrong) {
    const answer = await give(text)
    expect([message, answer.status]).toEqual([message, message.startsWith('No line') ? 200 : 422])
    expect(answer.text).toContain(message)
  }
  expect((await operator.postFiles(address(), {})).text).toContain('Choose the file of the statement,')
  const long = await give('x'.repeat(6_000_000))
  expect([long.status, long.text.includes('Divide a longer one by months')]).toEqual([422, true])
  expect((await give(fileOf(), owner)).status).toBe(403)
  expect((await owner.get((await upload(fileOf())).path)).status).toBe(403)
  for (const path of [`${address()}/uploads/nothing`, `${address()}/files/${'0'.repeat(64)}`])
    expect([path, (await operator.get(path)).status]).toEqual([path, 404])
  expect((await operator.get(`${address()}?after=${encodeURIComponent('2026-99-99T00:00Z x')}`)).status).toBe(
    200,
  )
})

const rows = (...all: string[]) => `${all.join('\n')}\n`
/** What a file leaves open, the link that answers, and what is shown then. */
const QUESTIONS: Record<string, [file: string, question: string, answer: string, shown: string]> = {
  amounts: [
    rows('Day,Amount,Currency', '2026-11-28,1.250,USD'),
    'Line 2: what does “1.250” mean?',
    '1,250.00',
    '$1,250.00',
  ],
  days: [
    rows('Day,Note,Amount,Currency', '05/06/2026,x,1.50,USD', '07/06/2026,y,1.50,USD'),
    'Line 2: what does “05/06/2026” mean?',
    'June 5, 2026',
    '$1.50',
  ],
  direction: [
    rows('Day,Direction,Amount,Currency', '2026-11-28,Zu,5.00,USD', '2026-11-28,Ab,6.00,USD'),
    'Which word means that money came?',
    'Zu',
    '-$6.00',
  ],
  kinds: [
    rows('Day,Type,Amount,Currency', '2026-11-28,One,5.00,USD', '2026-11-28,Two,6.00,USD'),
    'Which word of the column “Type” means that money came?',
    'All of it came',
    '$6.00',
  ],
  unsigned: [
    rows('Day,About,Amount,Currency', '2026-11-28,x,5.00,USD', '2026-11-28,y,6.00 CR,USD'),
    'What is an amount without a sign?',
    'Money that went',
    '-$5.00',
  ],
  equalIds: [
    rows('Transaction ID,Day,Amount,Currency', 'z1,2026-11-27,5.00,USD', 'z1,2026-11-28,6.00,USD'),
    'Are they different movements of money?',
    'They are different movements',
    '$6.00',
  ],
}

test.each(Object.entries(QUESTIONS))(
  '%s are asked in the words of the file, shown, stored and remembered',
  async (_, [file, question, answer, shown]) => {
    await kassa.ctx.db.query('delete from sandbox.statement_formats')
    const before = await storedLines()
    const { path, page } = await upload(file)
    expect([page.status, page.text.includes(question)]).toEqual([200, true])
    // Whoever stores without an answer sees the question again.
    expect((await operator.post(path, {})).text).toContain(question)
    const looked = await operator.get(linkTo(page.text, answer))
    expect(looked.text).toContain('Nothing is stored yet.')
    expect(looked.text.replaceAll('−', '-')).toContain(`<strong>${shown}</strong>`)
    expect(await storedLines()).toBe(before)
    expect((await store(path, looked)).text).toContain('Statements that were read')
    expect(await storedLines()).toBe(before + file.trim().split('\n').length - 1)
    expect((await operator.get(path)).status).toBe(404)
    const again = await upload(`${file}\n`)
    expect(again.page.text).toContain('Nothing is stored yet.')
  },
)

test('a currency and statuses are answered by a form, and an encoding by what can be read', async () => {
  const money = await upload(rows('Day,Text,Amount', '2026-11-28,x,1.50'))
  expect(money.page.text).toContain('In which currency are the amounts?')
  expect((await operator.get(`${money.path}?currency=eur`)).text).toContain('<strong>€1.50</strong>')
  expect((await operator.get(`${money.path}?currency=euro`)).text).toContain('In which currency')
  const statuses = await upload(
    rows('Day,Status,Amount,Currency', '2026-11-28,Done,5.00,USD', '2026-11-28,Zork,6.00,USD'),
  )
  expect(statuses.page.text).toContain('value="Zork"')
  const looked = await operator.get(`${statuses.path}?status_0=Done`)
  expect(factOf(looked.text, 'Left out: moved no money by its status')).toBe('1 (line 3)')
  expect((await store(statuses.path, looked)).text).toContain('Statements that were read')
  const letters = Buffer.from(
    rows('Day,Name,Amount,Currency', '2026-11-27,\xcd\xe5\xf2,5.00,USD', '2026-11-28,M\xfcller,6.00,USD'),
    'latin1',
  )
  const { page } = await upload(letters)
  expect(page.text).toContain('Нет')
  expect((await operator.get(linkTo(page.text, '2026-11-27,Íåò'))).text).toContain('windows-1252')
})

test('a file is kept for an hour, and an account has a few of them', async () => {
  const { path } = await upload(rows('Day,Sum,Currency', '2026-11-28,1.25,USD'))
  for (let number = 0; number < 7; number++)
    await upload(rows('Day,Sum,Currency', `2026-11-28,${number}.25,USD`))
  expect(await uploads()).toBe(5)
  expect((await operator.get(path)).status).toBe(404)
  const last = await upload(rows('Day,Sum,Currency', '2026-11-28,1.75,USD'))
  expect((await operator.get(last.path)).status).toBe(200)
  await kassa.ctx.db.query(`update sandbox.statement_uploads set created_at = created_at - interval '1 hour'`)
  expect((await operator.get(last.path)).status).toBe(404)
  await dropOldUploads(kassa.ctx)
  expect(await uploads()).toBe(0)
})

test('a statement that was read wrongly is withdrawn, with a reason and a row in the log', async () => {
  const text = rows('Transaction ID,Day,Sum,Currency', 'w1,2026-11-27,5.00,USD')
  const before = await storedLines()
  const { text: read } = await give(text)
  expect(await storedLines()).toBe(before + 1)
  const [, path = ''] = /href="([^"]+\/files\/[0-9a-f]{64})"/.exec(read) ?? []
  const page = await operator.get(path)
  expect(page.text).toContain('What people have decided stays')
  expect((await owner.post(path, {})).status).toBe(403)
  const done = await operator.post(path, { why: 'the wrong account' })
  expect((await operator.get(done.location ?? '')).text).toContain('The statement was withdrawn.')
  expect(await storedLines()).toBe(before)
  const after = await operator.get(path)
  expect([factOf(after.text, 'Why'), after.text.includes('Withdraw it')]).toEqual([
    'the wrong account',
    false,
  ])
  const [row] = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(
    ({ what }) => what === 'reconcile withdraw',
  )
  expect(row).toMatchObject({ who: 'A operator', about: kassa.ctx.routes.route_a.id })
})

test('totals are those of the command line, of one shop and of all', async () => {
  const other = await openShop(kassa.ctx)
  await pay(900, other)
  const { id } = await pay(5000)
  await askOperation(kassa.url, shop, id, 'refunds', { key: 'back', body: { amountMinor: 700, reason: 'r' } })
  await SWEEPS.moneyOperations(kassa.ctx)
  const { stdout } = await operateHere(async () => kassa.ctx, ['report', 'totals', '--by', 'day', '--json'])
  const { totals } = JSON.parse(stdout) as { totals: { merchantId: string; takenMinor: number }[] }
  const taken = (only?: string) =>
    totals.reduce((sum, each) => sum + (only && each.merchantId !== only ? 0 : each.takenMinor), 0)
  const shown = (minor: number) => `$${(minor / 100).toFixed(2)}`
  const own = `/sandbox/shops/${shop.merchantId}/totals`
  for (const by of ['day', 'month']) {
    expect(factOf((await operator.get(`/sandbox/totals?by=${by}`)).text, 'Taken')).toBe(shown(taken()))
    const { text } = await owner.get(`${own}?by=${by}`)
    expect(factOf(text, 'Taken')).toBe(shown(taken(shop.merchantId)))
    expect(factOf(text, 'Returned')).toBe('$7.00')
  }
  expect((await owner.get('/sandbox/totals')).location).toBe(own)
  const earlier = await owner.get(`${own}?until=2020-02-29`)
  expect(earlier.text).toContain('No money moved in these days.')
  expect(earlier.text).toContain('until=2020-02-22')
  for (const until of ['2026-02-31', '9999-01-01', '0001-01-01', "x' or 1"])
    expect([until, (await owner.get(`${own}?${new URLSearchParams({ until })}`)).status]).toEqual([
      until,
      200,
    ])
  const looked = await upload(rows('Day,Sum,Currency', '2026-11-28,1.25,USD'))
  for (const locale of ['ru', 'hy'])
    for (const path of [own, address(), '/sandbox/statements', looked.path, `${looked.path}/columns`])
      expect((await operator.get(path, { 'accept-language': locale })).text).not.toMatch(
        /\{\w+\}|undefined|null</,
      )
})
