/** The bank account of a shop: asked for by the owner with the second factor, and in use once somebody else approves it. */
import { expect, test } from 'vitest'
import { addOperator } from '../../audit/people.ts'
import { proposeAlways } from '../../operator/approvals/approvals.ts'
import { refuseProposal } from '../../operator/approvals/refuse.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { createSession, readPage, sessionRequest } from '../../testing/calls.ts'
import { forgetProofs, openAs, withPasskey } from '../../testing/console.ts'
import { expectWithin } from '../../testing/expect-within.ts'
import { openShop } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { grantAs } from '../../testing/scene/people.ts'

const IBAN = 'DE89 3704 0044 0532 0130 00'
const GIVEN = {
  currency: 'EUR',
  recipient: 'Teehaus Müller',
  account: IBAN,
  bank: '',
  bic: 'cobadeff',
  days: '5',
}

const { kassa, desk, shop, signInAs, signInWithPasskey } = await openConsole()
const mane = (await addOperator(kassa.ctx, { name: 'Mane', role: 'administrator' })).operator
const operator = await signInWithPasskey('administrator')
/** The same owner, without and with the passkey. */
const { browser: bare, id: ownerId } = await signInAs('shop', { email: 'owner@shop.example' })
const owner = await withPasskey(kassa.ctx, desk, { browser: bare, id: ownerId })

const at = (end = '') => `/sandbox/shops/${shop.merchantId}/bank${end}`
let orders = 0
const open = async () => {
  const body = sessionRequest({ merchantOrderId: `b-${++orders}`, provider: 'manual', currency: 'EUR' })
  return (await createSession(kassa.url, shop, { body })).body.id as string
}
const shown = async (id: string) => (await readPage(`${kassa.url}/checkout/${id}`)).html
const waiting = async () =>
  (await kassa.ctx.db.query("select id from kassa.proposals where what = 'account ask' and state = 'open'"))
    .rows
const grant = (id: string, by = operator) => by.post(`/sandbox/approvals/${id}/grant`, {})

test('is refused with wrong fields, and what was written stays', async () => {
  for (const [wrong, words] of [
    [{ account: 'DE88370400440532013000' }, 'This is no account number'],
    [{ account: '' }, 'This is no account number'],
    [{ recipient: ' ' }, 'Write the recipient'],
    [{ recipient: 'Teehaus\nGB82WEST12345698765432' }, 'Write the recipient on one line'],
    [{ bic: 'X' }, 'A bank code (BIC) has'],
    [{ days: '91' }, 'from 1 to 90'],
    [{ days: 'soon' }, 'from 1 to 90'],
    [{ currency: 'XAU' }, 'role="alert"'],
  ] as const) {
    const { status, text } = await owner.post(at(), { ...GIVEN, bank: 'Sparkasse', ...wrong })
    expect([wrong, status, text]).toEqual([wrong, 422, expect.stringContaining(words)])
    expect(text).toContain('value="Sparkasse"')
  }
  expect(await waiting()).toEqual([])
})

test('needs the second factor and another person, and changes nothing before', async () => {
  const early = await open()
  await forgetProofs(kassa.ctx, ownerId)
  const answer = await bare.post(at(), GIVEN)
  expect([answer.status, answer.text.includes('data-again=')]).toEqual([422, true])
  expect(await waiting()).toEqual([])
  expect((await owner.post(at(), GIVEN)).location).toBe(at('?done=bankAsked'))
  expect((await owner.post(at(), GIVEN)).location).toBe(at('?done=bankAsked'))
  const [proposal, ...others] = await waiting()
  expect(others).toEqual([])
  const { text } = await owner.get(at())
  expect(text).toContain('data-state="waiting"')
  expect(text).toContain('Waits for whoever runs this service')
  expect(await shown(await open())).not.toContain(IBAN)
  expect((await grant(proposal.id, owner)).status).toBe(403)
  expect((await operator.get(`/sandbox/approvals/${proposal.id}`)).text).toContain(IBAN)
  expect((await grant(proposal.id)).location).toContain('/sandbox/approvals?done=granted')
  await expectWithin(2_000, async () => (await shown(await open())).includes(IBAN), true)
  expect(await shown(early)).not.toContain(IBAN)
  expect((await owner.get(at())).text).toContain('In use for EUR')
  const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(({ what }) => what === 'account ask')
  expect(new Set(rows.map(({ who }) => who))).toEqual(new Set(['A shop', 'A administrator']))
})

test('another number is another account: payments that have begun keep theirs', async () => {
  const before = await open()
  const next = { ...GIVEN, account: 'GB82WEST12345698765432' }
  await owner.post(at(), { ...GIVEN, account: '2500 1234 5678 9012' })
  await owner.post(at(), next)
  const [proposal, ...others] = await waiting()
  // What was asked for before in the same currency is taken back.
  expect(others).toEqual([])
  await grant(proposal.id)
  await expectWithin(
    2_000,
    async () => (await shown(await open())).includes('GB82 WEST 1234 5698 7654 32'),
    true,
  )
  expect(await shown(before)).toContain(IBAN)
})

test('is taken back by its shop, and by no other', async () => {
  const other = await openShop(kassa.ctx)
  const { browser } = await openAs(kassa.ctx, desk, {
    role: 'shop',
    email: 'other@shop.example',
    name: 'Another',
    merchantId: other.merchantId,
  })
  await owner.post(at(), GIVEN)
  const [proposal] = await waiting()
  const foreign = `/sandbox/shops/${other.merchantId}/bank/withdraw`
  expect((await browser.post(foreign, { proposal: proposal.id })).status).toBe(404)
  expect((await browser.post(at('/withdraw'), { proposal: proposal.id })).status).toBe(404)
  expect((await browser.get(at())).status).toBe(404)
  expect((await owner.post(at('/withdraw'), { proposal: proposal.id })).location).toBe(
    at('?done=bankWithdrawn'),
  )
  expect(await waiting()).toEqual([])
})

const ask = async (account: string) => {
  await owner.post(at(), { ...GIVEN, account })
  return (await waiting())[0].id as string
}
const LANGUAGES = { en: 'Refused on', ru: 'Отказано', hy: 'Մերժված է' }

test('tells its shop that it was refused, and why, in each language and until it is asked for anew', async () => {
  const id = await ask('DE02120300000000202051')
  const long = await operator.post(`/sandbox/approvals/${id}/refuse`, { why: 'x'.repeat(241) })
  expect([long.status, long.text]).toEqual([422, expect.stringContaining(`value="${'x'.repeat(241)}"`)])
  const card = await operator.post(`/sandbox/approvals/${id}/refuse`, { why: 'as on 4242 4242 4242 4242' })
  expect([card.status, card.text]).toEqual([422, expect.stringContaining('must not contain a card number')])
  expect(await waiting()).toHaveLength(1)
  expect((await owner.get(at())).text).not.toContain('Refused on')
  const refused = await operator.post(`/sandbox/approvals/${id}/refuse`, {
    why: 'The bank <b>knows another name',
  })
  expect(refused.location).toContain('/sandbox/approvals?done=refused')
  for (const [locale, words] of Object.entries(LANGUAGES)) {
    const { text } = await owner.get(at(), { 'Accept-Language': locale })
    expect([locale, text]).toEqual([locale, expect.stringContaining(words)])
    expect(text).toContain('<bdi>The bank &lt;b>knows another name</bdi>')
    expect(text).toContain('DE02')
  }
  await ask('DE02500105170137075030')
  expect((await owner.get(at())).text).not.toContain('Refused on')
  // What the shop takes back itself is no news for it.
  await owner.post(at('/withdraw'), { proposal: (await waiting())[0].id })
  expect((await owner.get(at())).text).not.toMatch(/Refused on|Nobody decided/)
})

test('tells its shop that the account had changed before it was granted', async () => {
  const id = await ask('DE02120300000000202051')
  const words = ['account', 'set', '--merchant', shop.merchantId, '--route', 'manual', '--driver', 'manual']
  const given = ['--currency', 'EUR', '--set', 'RECIPIENT=Teehaus', '--set', 'ACCOUNT=250012345678']
  const set = await operateHere(async () => kassa.ctx, [...words, ...given])
  expect([set.code, set.stderr]).toEqual([0, ''])
  await expect(grantAs(kassa.ctx, mane, id)).rejects.toThrow('has changed since')
  const { text } = await owner.get(at())
  expect(text).toContain('because your account had changed since')
  expect(text).not.toContain('Waits for whoever runs this service')
})

test('tells its shop that nobody decided in time', async () => {
  const id = await ask('DE02120300000000202051')
  const expire = (at: string) =>
    kassa.ctx.db.query(`update kassa.proposals set expires_at = now() + interval '${at}' where id = $1`, [id])
  await expire('-1 second')
  const { text } = await owner.get(at())
  expect(text).toContain('Nobody decided about it until')
  expect(text).toContain('If it is still right, send it again')
  expect(text).not.toContain('Waits for whoever runs this service')
  await expire('1 hour')
  await owner.post(at('/withdraw'), { proposal: id })
})

test('has a reason only where a shop reads it', async () => {
  const args = { merchantId: shop.merchantId, url: 'https://shop.example/news' }
  const given = { args, lastsMs: 60_000, makeRoom: async () => null }
  const { id } = await proposeAlways(kassa.ctx, mane, 'callback set', given)
  await expect(refuseProposal(kassa.ctx, mane, id, 'no')).rejects.toThrow('Only a shop reads why')
  expect(await refuseProposal(kassa.ctx, mane, id)).toMatchObject({ state: 'refused' })
})

test('stays in sight behind a hundred other proposals of its shop, and is not asked for twice', async () => {
  const id = await ask('DE02120300000000202051')
  await kassa.ctx.db.query(
    `insert into kassa.proposals (id, world, what, about, merchant_id, proposed_by, proposed_at, expires_at)
     select 'zzz' || number, world, 'payment refund', 'another', merchant_id, proposed_by, proposed_at, expires_at
     from kassa.proposals, generate_series(1, 100) number where id = $1`,
    [id],
  )
  expect((await owner.get(at())).text).toContain('Waits for whoever runs this service')
  expect(await ask('DE02120300000000202051')).toBe(id)
  expect((await owner.post(at('/withdraw'), { proposal: id })).status).toBe(303)
  expect(await waiting()).toEqual([])
})

test('is asked for on the command line in the same words, and somebody else approves it there', async () => {
  const run = (...words: string[]) => operateHere(async () => kassa.ctx, words)
  const words = [
    'account',
    'ask',
    '--merchant',
    shop.merchantId,
    '--currency',
    'USD',
    '--recipient',
    'Teehaus',
  ]
  const wrong = await run(...words, '--account', 'DE88370400440532013000')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('ACCOUNT must be an IBAN')])
  const nobody = await run(...words, '--account', IBAN)
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('operator key')])
  expect(await waiting()).toEqual([])
})
