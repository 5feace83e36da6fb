/** The settings of an account at the simulated bank. */
import { z } from 'zod'
import { RENEWALS_ENABLED, workSettings } from '../driver/settings.ts'
import { FAULTS } from './wire.ts'

export const SandboxSettings = z.object({
  CUSTOMER: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
      error: 'must have 1 to 64 letters, digits, dots and dashes',
    })
    .default('kassa')
    .meta({ takes: 'letters, digits, dots and dashes, at most 64' })
    .describe(
      'The customer number at the simulated bank. The bank keeps books of its own for each customer.',
    ),
  SECRET: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ takes: 'text; a text that starts with `live_` stands for credentials of real money' })
    .describe(
      "The customer's secret at the simulated bank. The customer `kassa` has one without this setting.",
    ),
  ADDRESS: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ takes: 'a web address' })
    .describe(
      "The simulated bank's address. Without it, the bank that this service runs itself: below `BASE_URL`, or on this machine where that is not set. A process that serves no HTTP (`PROCESS=worker`) calls the bank at that address too, so it must be able to reach it.",
    ),
  ...workSettings(RENEWALS_ENABLED),
  FAULT: z
    .enum(FAULTS)
    .optional()
    .describe('A fault of the simulated bank for each payment whose `metadata.sandboxFault` names none.'),
})
