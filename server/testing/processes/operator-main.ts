/**
 * An operator's command line that stays open, because a new process for each command costs a second of CPU time. It reads one
 * command a line on standard input, as a JSON array of words. It writes one line for each: `{ code, stdout, stderr }`.
 */
import { createInterface } from 'node:readline'
import { readConfig } from '../../config.ts'
import { runWords } from './operator-lines.ts'

const config = readConfig({ ...process.env, LOG_LEVEL: 'error' })

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await runWords(config, JSON.parse(line) as string[]))}\n`)
