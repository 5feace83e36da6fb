/** `payment export`: payments and refunds as a file for a spreadsheet. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../errors.ts'
import { exportFile } from '../../../operator/export/payments.ts'
import { EVER } from '../../../reports/money-days.ts'
import { verb } from '../../command.ts'
import { optionalChoice, required } from '../../flag.ts'
import { counted } from '../../layout.ts'
import { ZONE, zonesFor } from '../../zone-flag.ts'
import { FILTER_FLAGS, filterOf, rangeOf } from './filter.ts'

export const exportVerb = verb({
  name: 'export',
  needs: 'viewer',
  summary: 'Write each movement of money into a file for a spreadsheet',
  flags: {
    to: required('FILE', 'the file, which must not exist'),
    format: optionalChoice('FORMAT', 'the format of the file', ['csv'] as const),
    zone: ZONE,
    ...FILTER_FLAGS,
  },
  examples: [
    '--to july.csv --since 2026-07-01 --until 2026-08-01',
    '--to asked.csv --since 30d --by created',
  ],
  async run(ctx, { to, zone: zoneFlag, format: _format, ...given }) {
    const hasTime = given.since !== undefined || given.until !== undefined
    const { by = hasTime ? 'moved' : 'created' } = given
    // Without a zone, the days and times of each shop are its own.
    const zone = zoneFlag ?? null
    const { moved: _, ...filter } = filterOf(
      ctx,
      { ...given, by },
      await zonesFor(ctx, { ...given, zone: zoneFlag }),
    )
    const movedIn = by === 'moved' ? (of: string) => ({ ...EVER, ...rangeOf(ctx, given, of) }) : undefined
    let lines = 0
    async function* text() {
      for await (const part of exportFile(ctx, { ...filter, zone, movedIn })) {
        lines += part.lines
        yield part.text
      }
    }
    // Others on this machine may not read the buyers' data.
    const file = createWriteStream(to, { flags: 'wx', mode: 0o600 })
    await pipeline(Readable.from(text()), file).catch((error: NodeJS.ErrnoException) => {
      if (!error.syscall) throw error
      throw new AppError('validation_failed', {
        message: `The file ${to} cannot be written (${error.code}). Name one that does not exist, in a folder that does.`,
      })
    })
    const what =
      by === 'moved'
        ? 'Each is a movement of money in that time.'
        : 'Each is a movement of money, or a payment of which nothing was taken.'
    return {
      json: { to, lines, zone, by },
      text: `Wrote ${counted(lines, 'line')} into ${to}. ${what} Times are in ${zone ?? "each shop's time zone"}.`,
    }
  },
})
