/** An operator is added beside an administrator who uses the console alone and has no key for commands. */
import { beforeEach, expect, test } from 'vitest'
import { startDesk } from '../testing/console.ts'
import { operateHere } from '../testing/operator.ts'
import { forgetPeople } from '../testing/scene/people.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { firstLink } from './first-run.ts'
import { addUser, getPerson, listEverybody } from './users.ts'

const OPERATOR = ['user', 'add', '--role', 'operator', '--name']

const kassa = await openKassa()
const desk = closeAfter(await startDesk(kassa.worlds))
beforeEach(() => forgetPeople(kassa.ctx))

test.each([
  ['Gor', []],
  ['Eva', ['--email', 'eva@pay.example']],
])('user add --role operator adds %s beside the first user of the console', async (name, more) => {
  expect(await firstLink(kassa.ctx, desk.origin)).toContain('/link/')
  const { code, stderr } = await operateHere(async () => kassa.ctx, [...OPERATOR, name, ...more])
  expect([code, stderr]).toEqual([0, ''])
  expect((await getPerson(kassa.ctx, name)).operator).toMatchObject({ role: 'operator', hasKey: true })
})

test('without any administrator it is refused', async () => {
  const { code, stderr } = await operateHere(async () => kassa.ctx, [...OPERATOR, 'Gor'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('Somebody must be administrator')])
  await addUser(kassa.ctx, { name: 'Ani', role: 'administrator', isKeyless: true, email: 'ani@pay.example' })
  expect((await operateHere(async () => kassa.ctx, [...OPERATOR, 'Gor'])).code).toBe(0)
})

test('of processes that start at the same time one adds the first user, and none of them fails', async () => {
  const links = await Promise.all([1, 2, 3, 4].map(() => firstLink(kassa.ctx, desk.origin)))
  expect([links[0], new Set(links).size]).toEqual([expect.stringContaining('/link/'), 1])
  expect(await listEverybody(kassa.ctx)).toHaveLength(1)
})
