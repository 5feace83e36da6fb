/** Calls and programs with the client of each language: one for each operation of the API, what to paste first, how to verify an event. */
import { readFileSync } from 'node:fs'
import { WRITTEN_ORIGIN } from '../sources.ts'
import { JAVASCRIPT, literal, PHP, PYTHON, quoted } from './literal.ts'

/** The variable that the examples take the merchant's token from. */
export const TOKEN_VARIABLE = 'KASSA_TOKEN'

/** `verb`: of the client for Node. `id`: of what is looked up or changed. `key`: the idempotency key. */
export type ClientCall = { baseUrl: string; verb: string; id?: string; body?: object; key?: string }

/** The verb of the clients for each operation of the API that they have. */
export const CLIENT_VERBS: Readonly<Record<string, string>> = {
  getCapabilities: 'capabilities',
  createPaymentSession: 'createPayment',
  createPaymentLink: 'createLink',
  lookUpPayment: 'lookUp',
  getOperation: 'lookUpOperation',
  createRefund: 'refund',
  capturePayment: 'capture',
  voidPayment: 'void',
  cancelPayment: 'cancel',
}

/** The command that fetches a client. */
const fetchClient = (file: string, baseUrl: string): string => `curl -sSO ${baseUrl}/docs/clients/${file}`

const given = (...args: (string | undefined)[]): string =>
  args.filter((each) => each !== undefined).join(', ')

export function callInNode({ baseUrl, verb, id, body, key }: ClientCall): string {
  const args = given(
    id && quoted(id),
    body && literal(body, JAVASCRIPT),
    key && `{ key: ${quoted(`${key}-node`)} }`,
  )
  return [
    `// First: ${fetchClient('node/kassa.mjs', baseUrl)}`,
    "import { openKassa } from './kassa.mjs'",
    '',
    `const kassa = openKassa({ url: ${quoted(baseUrl)}, token: process.env.${TOKEN_VARIABLE} })`,
    `const result = await kassa.${verb}(${args})`,
    'console.log(result.ok ? result.value : result.error)',
  ].join('\n')
}

export function callInPython({ baseUrl, verb, id, body, key }: ClientCall): string {
  const name = verb.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const args = given(id && quoted(id), body && literal(body, PYTHON), key && `key=${quoted(`${key}-python`)}`)
  return [
    `# First: ${fetchClient('python/kassa.py', baseUrl)}`,
    'import os',
    'from kassa import open_kassa',
    '',
    `kassa = open_kassa(${quoted(baseUrl)}, os.environ[${quoted(TOKEN_VARIABLE)}])`,
    `result = kassa.${name}(${args})`,
    'print(result.value if result.ok else result.error)',
  ].join('\n')
}

export function callInPhp({ baseUrl, verb, id, body, key }: ClientCall): string {
  const args = given(
    id && quoted(id),
    body && literal(body, PHP),
    key && `['key' => ${quoted(`${key}-php`)}]`,
  )
  return [
    '<?php',
    `// First: ${fetchClient('php/Kassa.php', baseUrl)}`,
    "require 'Kassa.php';",
    '',
    `$kassa = Kassa\\openKassa(['url' => ${quoted(baseUrl)}, 'token' => getenv(${quoted(TOKEN_VARIABLE)})]);`,
    `$result = $kassa->${verb}(${args});`,
    'print_r($result->ok ? $result->value : $result->error);',
  ].join('\n')
}

const CLIENTS = {
  node: { client: 'node/kassa.mjs', ending: 'mjs', command: 'node' },
  python: { client: 'python/kassa.py', ending: 'py', command: 'python3' },
  php: { client: 'php/Kassa.php', ending: 'php', command: 'php' },
}

const inEach = (
  write: (language: (typeof CLIENTS)[keyof typeof CLIENTS]) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(CLIENTS).map(([id, language]) => [id, write(language)]))

const read = (file: string) =>
  readFileSync(new URL(`../../clients/pages/${file}`, import.meta.url), 'utf8').trimEnd()

/** Each is for a shell: it fetches the client, writes a program and runs it. The token is in the environment. */
export const firstCalls = (baseUrl: string): Record<string, string> =>
  inEach(({ client, ending, command }) => {
    const program = read(`pay.${ending}`).replace(WRITTEN_ORIGIN, baseUrl)
    return `${fetchClient(client, baseUrl)}\ncat > pay.${ending} <<'END'\n${program}\nEND\n${command} pay.${ending}`
  })

export const VERIFY_SAMPLES = inEach(({ ending }) => read(`read-event.${ending}`))
