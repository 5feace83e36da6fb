/** `audit`: who did what. */
import { readFile } from 'node:fs/promises'
import { parseCheckpoints, type Verified, verifyLog } from '../../../audit/verify.ts'
import { AppError } from '../../../errors.ts'
import { type Noun, type Outcome, verb } from '../../command.ts'
import { repeatable } from '../../flag.ts'
import { counted, pairs, paragraphs } from '../../layout.ts'

const verify = verb({
  name: 'verify',
  needs: 'operator',
  reads: true,
  summary: 'Check that no row of the log was changed, removed or added',
  flags: {
    checkpoint: repeatable(
      'FILE',
      'a checkpoint that was outside: its file, its mail as text, or a log of the service',
    ),
    key: repeatable('KEY', 'a public key of checkpoints from before SECRETS_KEY was replaced'),
  },
  examples: ['', '--checkpoint kassa-audit-20260802T000000000Z-812.json'],
  async run(ctx, { checkpoint: files, key: keys }) {
    const given = await Promise.all(files.map(readCheckpoints))
    return describeVerified(await verifyLog(ctx, { given: given.flat(), keys }))
  },
})

async function readCheckpoints(file: string) {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new AppError('validation_failed', {
      message: `--checkpoint ${file} cannot be read: ${error.message}`,
    })
  })
  return parseCheckpoints(text, file)
}

function describeVerified(verified: Verified): Outcome {
  const { rows, head, checkpoints, publicKey, faults, gaps } = verified
  const facts = pairs([
    ['Rows', String(rows)],
    ['Last row', head && `${head.seq}, digest ${head.digest}`],
    ['Checkpoints', `${checkpoints}, with those of the database`],
    ['Public key', publicKey],
  ])
  const gapText = gaps.map(({ message }) => message).join('\n')
  const faultText = faults.map(({ message }) => message).join('\n')
  const sound = 'Every row follows the one before, and every checkpoint agrees.'
  const text = paragraphs(faultText || sound, gapText, facts)
  if (faults.length === 0) return { json: { ...verified }, text }
  const message = `The audit log is not what it was: ${counted(faults.length, 'fault')}.`
  const hint = `${message} Compare it with a backup and with older checkpoints before anything else is changed.`
  return { json: { ...verified }, text, problem: { code: 'audit_log_faulty', message, hint } }
}

export const audit: Noun = {
  name: 'audit',
  summary: 'List what was done, and check that nothing of it was changed',
  verbs: [verify],
}
