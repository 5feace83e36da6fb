/** Reads the text or the bytes of a statement as the commands do, without a database. */
import { Readable } from 'node:stream'
import type { StatementFile } from '../../reports/reading/file.ts'
import { StatementFormat } from '../../reports/reading/format.ts'
import type { Answers } from '../../reports/reading/question.ts'
import { type NamedLine, readLines } from '../../reports/reading/read.ts'
import type { ReadyName } from '../../reports/reading/ready.ts'
import { type Understanding, understand } from '../../reports/reading/understand.ts'

export const fileOf = (content: string | Buffer): StatementFile => ({
  open: () => Readable.from([Buffer.from(content)]),
})

export type Given = { own?: object; about?: ReadyName; answers?: Answers; timeZone?: string }

export function understandText(content: string | Buffer, given: Given = {}): Promise<Understanding> {
  const { own, about, answers = {}, timeZone = 'UTC' } = given
  return understand(fileOf(content), {
    own: own ? StatementFormat.parse(own) : null,
    chosenFormat: about,
    answersOf: async () => answers,
    timeZone,
    now: new Date('2026-11-30T12:00:00Z'),
  })
}

/** Returns the lines of a file that has no open question. */
export async function linesOf(content: string | Buffer, given: Given = {}): Promise<NamedLine[]> {
  const understanding = await understandText(content, given)
  if (understanding.questions.length > 0) throw new Error(`asked: ${JSON.stringify(understanding.questions)}`)
  const lines: NamedLine[] = []
  for await (const line of readLines(understanding).lines) lines.push(line)
  return lines
}
