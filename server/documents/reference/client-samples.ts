/** Programs with the client of each language: what a developer pastes first, and how an event is verified. */
import { readFileSync } from 'node:fs'
import { WRITTEN_ORIGIN } from '../paths.ts'
import { fetchClient } from './client-calls.ts'

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
