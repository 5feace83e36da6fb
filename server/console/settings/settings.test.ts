/** The settings that have no row in the table of acts, by request: each is done once by two presses, and refused where it is wrong or somebody was quicker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAuditChain } from '../../storage/audit/log.ts'
import {
  type Desk,
  forgetProofs,
  hiddenIn,
  openAs,
  startDesk,
  type TestBrowser,
  withPasskey,
} from '../../testing/console.ts'
import { addressOf } from '../../testing/console-examples.ts'
import { type Kassa, openShop, startKassa } from '../../testing/harness.ts'
import { SETTING_EXAMPLES, type SettingExample, type Things } from '../../testing/setting-examples.ts'
import { asksOf, endOf, type SettingAct } from './act.ts'
import { HAND_ACTS } from './acts.ts'
import { BASES } from './scene.ts'

let kassa: Kassa
let desk: Desk
let things: Things
/** The same administrator, without and with the passkey. */
let thief: TestBrowser
let root: TestBrowser
let rootId: string
beforeAll(async () => {
  kassa = await startKassa({
    settings: {
      RATE_LIMITS: 'sign_in_user=1000:1000,page=1000:1000,person=1000:1000',
      ROUTE_E_DRIVER: 'sandbox',
      ROUTE_E_SHARED: 'false',
    },
  })
  desk = await startDesk(kassa.worlds)
  things = { kassa, shop: await openShop(kassa.ctx) }
  const opened = await openAs(kassa.ctx, desk, {
    name: 'Root',
    role: 'administrator',
    email: 'root@pay.example',
  })
  thief = opened.browser
  rootId = opened.id
  root = await withPasskey(kassa.ctx, desk, opened)
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

const own = (id: string) => ({ own: id, foreign: null, unknown: '' })
const pathOf = (act: SettingAct, ofAccount = '') =>
  addressOf(
    { path: `${BASES[act.place]}/${endOf(act)}` },
    {
      '/:world': own('sandbox'),
      'shops/:merchant': own(things.shop.merchantId),
      'accounts/:account': own(ofAccount),
    },
  )

/** A choice that is not on the list has no place in it. */
const CHOICES = [
  'token',
  'overlap',
  'installation',
  'origin',
  'currency',
  'merchant',
  'mail',
  'by',
  's_FAULT',
  'driver',
]

const exampleOf = ({ name }: SettingAct): SettingExample => {
  const example = SETTING_EXAMPLES[name]
  if (!example) throw new Error(`Add an example of ${name} to server/testing/setting-examples.ts`)
  return example
}
const shown = async (path: string) => hiddenIn((await root.get(path)).text)
const acts = async () =>
  new Set((await readAuditChain(kassa.ctx.db, 0, 10_000)).map(({ act, what }) => `${act} ${what}`))

/** With a limit other acts would need a second person. */
const ORDERED = HAND_ACTS.toSorted(
  (one, other) => Number(one.name === 'approval_limit') - Number(other.name === 'approval_limit'),
)

describe.each(ORDERED.map((act) => [act.name, act] as const))('%s', (_, act) => {
  test('is refused where a field is wrong, which keeps what was typed', async () => {
    const { prepare, form, wrong = {}, look, secret, account } = exampleOf(act)
    await prepare?.(things)
    const path = pathOf(act, await account?.(things))
    const [before, seen] = [await look(things), await shown(path)]
    for (const [at, [name, text]] of Object.entries(wrong).entries()) {
      const answer = await root.post(path, { ...seen, ...(await form(things)), [name]: text })
      expect([answer.status, answer.text.includes(`id="wrong-${name}"`)]).toEqual([422, true])
      if (secret) expect(answer.text).not.toContain(secret())
      if (text !== '' && !CHOICES.includes(name)) expect(answer.text).toContain(text)
      if (at > 0) continue
      // The second press checks as much as the first.
      const forced = await root.post(path, { ...seen, ...(await form(things)), [name]: text, confirm: 'yes' })
      expect(forced.status).toBe(422)
    }
    expect(await look(things)).toEqual(before)
  })

  test('is refused for somebody who saw something else', async () => {
    const { form, look, account } = exampleOf(act)
    const path = pathOf(act, await account?.(things))
    const before = await look(things)
    for (const more of [{}, { confirm: 'yes' }]) {
      const { status, text } = await root.post(path, { ...(await form(things)), ...more, seen: 'other' })
      expect([status, text.includes('id="wrong-')]).toEqual([422, false])
    }
    expect(await look(things)).toEqual(before)
  })

  test('is done once by two presses, and leaves one row', async () => {
    const { prepare, form, look, secret, repeats, changesNothing } = exampleOf(act)
    await prepare?.(things)
    const path = pathOf(act, await exampleOf(act).account?.(things))
    const [before, rows] = [await look(things), await acts()]
    const filled = { ...(await shown(path)), ...(await form(things)) }
    const first = await root.post(path, filled)
    expect([first.status, /role="alert"[^>]*>([^<]*)/.exec(first.text)?.[1]]).toEqual([200, undefined])
    expect(await look(things)).toEqual(before)
    const sure = hiddenIn(first.text)
    expect(sure.confirm).toBe('yes')
    const back = await root.post(path, { ...sure, back: 'yes' })
    expect([back.status, hiddenIn(back.text).confirm, await look(things)]).toEqual([200, undefined, before])
    if (secret) expect(first.text).not.toContain(secret())
    if (asksOf(act)) {
      await forgetProofs(kassa.ctx, rootId)
      expect((await thief.post(path, sure)).status).toBe(422)
      expect(await look(things)).toEqual(before)
    }
    const both = await Promise.all([root.post(path, sure), root.post(path, sure)])
    if (!repeats) expect(both.filter(({ status }) => status < 400)).toHaveLength(1)
    if (changesNothing) return
    expect(await look(things)).not.toEqual(before)
    if (!repeats) expect((await root.post(path, sure)).status).toBe(422)
    const what = act.what ?? act.needs
    const added = [...(await acts())].filter((row) => !rows.has(row) && row.endsWith(what))
    // What changes nothing the second time may leave a second row.
    if (repeats) expect(added.length).toBeGreaterThan(0)
    else expect(added).toHaveLength(1)
  })
})
