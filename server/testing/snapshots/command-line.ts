/** The command line in a snapshot: the help of every command, and the shape of the JSON that its examples print. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NOUNS } from '../../admin/parser.ts'
import { createSession, payAtBank, sessionRequest } from '../calls.ts'
import { makeExamples } from '../console-examples.ts'
import { type Kassa, openShop, type Shop } from '../harness.ts'
import { operatingExamples } from '../operating-examples.ts'
import { operateHere } from '../operator.ts'
import { normalise, shapeOf } from './normalise.ts'

/** Their examples write where the test runs, or need a database of their own. */
const WRITES_FILES = new Set(['backup', 'database'])

export async function helpTexts(): Promise<Map<string, string>> {
  const help = async (...words: string[]) =>
    (await operateHere(() => Promise.reject(new Error('not needed')), [...words, '--help'])).stdout
  const texts = new Map([['help/all.txt', await help()]])
  for (const { name, verbs } of NOUNS) {
    const ofVerbs: string[] = []
    for (const verb of verbs) ofVerbs.push(await help(name, verb.name))
    texts.set(`help/${name}.txt`, [await help(name), ...ofVerbs].join('\n'))
  }
  return texts
}

/** Each noun works on a shop of its own, and each verb has a payment of its own. All verbs about an order share one order. */
export async function jsonShapes(kassa: Kassa, folder: string): Promise<Map<string, string>> {
  await writeFiles(folder)
  await makeExamples(kassa, await openShop(kassa.ctx), await openShop(kassa.ctx))
  const texts = new Map<string, string>()
  for (const { name, verbs } of NOUNS) {
    if (WRITES_FILES.has(name)) continue
    const shop = await openShop(kassa.ctx)
    const things = await operatingExamples(kassa.ctx, kassa.url, shop)
    const shapes: Record<string, unknown> = {}
    // All are paid first, because a verb may close the shop.
    const paid: string[] = []
    for (const { name: key } of verbs) paid.push(await pay(kassa, shop, key))
    for (const [at, verb] of verbs.entries()) {
      things['payments/:id'] = paid[at] ?? ''
      for (const example of verb.examples) {
        const words = wordsOf(example).map((word, at, all) =>
          chosen(word, all[at - 1], { shop, things, folder }),
        )
        shapes[`${name} ${verb.name} ${example}`.trim()] = await shapesOf(kassa, [name, verb.name, ...words])
      }
    }
    texts.set(`json/${name}.json`, `${JSON.stringify(shapes, null, 2)}\n`)
  }
  return texts
}

async function pay({ url }: Kassa, shop: Shop, key: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: `${key}-${shop.merchantId}` })
  const { body: session } = await createSession(url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}

/** Returns the shape of each object that the command prints, and equal ones once. */
async function shapesOf(kassa: Kassa, words: string[]): Promise<unknown[]> {
  const printed = new Map<string, unknown>()
  const heard = (text: string) => {
    const found = text.trim().split('\n').map(readShape)
    for (const each of found) printed.set(JSON.stringify(each), each)
  }
  await operateHere(async () => kassa.worlds, [...words, '--json'], { heard, stopped: AbortSignal.abort() })
  return [...printed.values()]
}

const wordsOf = (example: string) =>
  (example.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

function readShape(line: string): unknown {
  const value = JSON.parse(line)
  const code = value.error?.code
  if (code === undefined) return shapeOf(value)
  return { error: code === 'internal' ? normalise(value.error.message) : code }
}

/** The part of a console address that stands for the same thing as a flag. */
const THINGS: Record<string, string> = {
  '--payment': 'payments/:id',
  '--after': 'payments/:id',
  '--event': 'events/:event',
  '--subscription': 'subscriptions/:subscription',
  '--account': 'accounts/:account',
  '--approval': 'approvals/:approval',
}

/** Returns what a word of an example stands for. `before`: the word before it. */
function chosen(
  word: string,
  before: string | undefined,
  { shop, things, folder }: { shop: Shop; things: Record<string, string>; folder: string },
): string {
  if (word.includes('@')) return word.replace('@secret.txt', `@${folder}/secret.txt`)
  if (/\.(png|jpg|csv|html)$/.test(word) || before === '--record') return join(folder, word)
  if (word === 'mer_01...') return shop.merchantId
  if (word === 'ins_01...') return shop.installationId
  if (before === '--order') return 'example111111'
  const thing = things[THINGS[before ?? ''] ?? '']
  return thing && word.includes('_01...') ? thing : word
}

async function writeFiles(folder: string): Promise<void> {
  await writeFile(join(folder, 'secret.txt'), 'a secret')
  await writeFile(join(folder, 'shop.html'), '<!doctype html><title>A shop</title>')
  for (const name of ['statement.csv', 'balance.csv'])
    await writeFile(join(folder, name), 'Date,Amount,Reference,Currency\n02/08/2026,10.00,order-1,USD\n')
}
