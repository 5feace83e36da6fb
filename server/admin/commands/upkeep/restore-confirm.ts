/** `restore confirm`: who and what may act again after a restore that had no list of what was revoked since the backup. */
import { AppError } from '../../../errors.ts'
import { inTransaction } from '../../../storage/db.ts'
import {
  confirmPeople,
  confirmTokens,
  listWaitingPeople,
  listWaitingTokens,
  type WaitingPerson,
  type WaitingToken,
} from '../../../storage/restores/waiting.ts'
import { listWorlds } from '../../../worlds.ts'
import { ADMIN, type CommandTools, verb } from '../../command.ts'
import { optional, toggle } from '../../flag.ts'
import { counted, paragraphs, table } from '../../layout.ts'

export const confirm = verb({
  name: 'confirm',
  // After a restore everybody with a key may be waiting.
  needs: 'host',
  withoutLog: true,
  summary: 'List who waits after a restore, and let them act again',
  flags: {
    person: optional('NAME', 'the name or id of a person who may act again'),
    token: optional('ID', 'the id of a token that may be used again'),
    all: toggle('everybody and every token'),
  },
  examples: ['', '--person Ani', '--token key_01...', '--all'],
  async run(_ctx, { person, token, all }, tools) {
    if ([person !== undefined, token !== undefined, all].filter(Boolean).length > 1)
      throw new AppError('validation_failed', { message: 'Give only one of --person, --token and --all.' })
    if (person === undefined && token === undefined && !all) return describe(await listWaiting(tools))
    const confirmed = await confirmWaiting(tools, { person: all ? null : person, token: all ? null : token })
    if (confirmed.length === 0 && !all)
      throw new AppError('validation_failed', {
        message: `${person ?? token} does not wait after a restore.`,
      })
    const left = await listWaiting(tools)
    return {
      json: { confirmed, ...left },
      text: paragraphs(`Confirmed: ${confirmed.join(', ') || 'nobody waited'}.`, describe(left).text),
    }
  },
})

type Waiting = { people: WaitingPerson[]; tokens: (WaitingToken & { world: string })[] }
type WaitingAccess = { person: string | null | undefined; token: string | null | undefined }

async function listWaiting({ worlds }: Pick<CommandTools, 'worlds'>): Promise<Waiting> {
  const tokens: Waiting['tokens'] = []
  for (const { db, world, clock } of listWorlds(worlds))
    tokens.push(...(await listWaitingTokens(db, clock.now())).map((each) => ({ ...each, world })))
  return { people: await listWaitingPeople(worlds.sandbox.db), tokens }
}

/** `null`: everybody, or every token. Absent: none. */
async function confirmWaiting(
  { worlds }: Pick<CommandTools, 'worlds'>,
  { person, token }: WaitingAccess,
): Promise<string[]> {
  const ids: string[] = []
  if (person !== undefined)
    ids.push(...(await inTransaction(worlds.sandbox.db, (tx) => confirmPeople(tx, person))))
  if (token === undefined) return ids
  for (const { db } of listWorlds(worlds))
    ids.push(...(await inTransaction(db, (tx) => confirmTokens(tx, token))))
  return ids
}

function describe({ people, tokens }: Waiting): { json: Waiting; text: string } {
  const [waiting, working] = [tokens.filter(({ waits }) => waits), tokens.filter(({ waits }) => !waits)]
  const rowOf = ({ world, id, merchantId, scopes }: Waiting['tokens'][number]) => [
    world,
    id,
    merchantId,
    scopes.join(' '),
  ]
  const heads = ['World', 'Token', 'Merchant', 'Scopes']
  if (people.length + tokens.length === 0)
    return { json: { people, tokens }, text: 'Nobody waits, and no token does.' }
  const text = paragraphs(
    people.length > 0 &&
      `${counted(people.length, 'person', 'people')} may not act until you confirm:\n${table(
        ['Name', 'Role', 'Id'],
        people.map(({ name, role, id }) => [name, role, id]),
      )}`,
    waiting.length > 0 &&
      `${counted(waiting.length, 'token')} may move money, and is refused until you confirm:\n${table(heads, waiting.map(rowOf))}`,
    working.length > 0 &&
      `${counted(working.length, 'token')} cannot move money and works. Look whether one of them was revoked since the backup:\n${table(heads, working.map(rowOf))}`,
    `Revoke what was revoked before: ${ADMIN} token revoke --token ID. Then confirm the rest: ${ADMIN} restore confirm --all. Nobody knows which recovery codes were used, so all have ended: people make new ones under My sign-in.`,
  )
  return { json: { people, tokens }, text }
}
