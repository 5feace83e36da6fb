/** The flag `--dry-run`: the command says what it would do, and nothing of it stays. */
import type { Outcome } from './command.ts'
import { toggle } from './flag.ts'
import { paragraphs } from './layout.ts'

export const DRY_RUN = toggle('say what would happen, and change nothing')

export const NOTHING_CHANGED = 'Nothing was changed. Without --dry-run this would happen:'

export function rehearsedOutcome(dryRun: boolean, { json, text, ...rest }: Outcome): Outcome {
  if (!dryRun) return { json, text, ...rest }
  return {
    json: { dryRun, ...json },
    text: paragraphs(NOTHING_CHANGED, text),
    ...rest,
  }
}
