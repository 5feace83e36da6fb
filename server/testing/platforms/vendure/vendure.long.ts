/** The plug-in for Vendure on a real Vendure. */
import {
  LATE_AUTHORIZED,
  PART_CAPTURED_OUTSIDE,
  REFUND_DURING_ANOTHER,
  SLOW_KASSA,
  STRANGER,
  TWO_CHANNELS,
  UNKNOWN_TO_KASSA,
  VOID_AFTER_CAPTURE,
  VOID_WITHOUT_KASSA,
} from '../hard-cases.ts'
import { REFUNDS_AT_ONCE } from '../money-scenarios.ts'
import { runScenarios } from '../platforms.suite.ts'
import { CHANGED_AFTER_PAYING } from '../scenarios.ts'
import { VENDURE } from './driver.ts'

runScenarios(
  VENDURE,
  CHANGED_AFTER_PAYING,
  REFUNDS_AT_ONCE,
  SLOW_KASSA,
  UNKNOWN_TO_KASSA,
  REFUND_DURING_ANOTHER,
  PART_CAPTURED_OUTSIDE,
  LATE_AUTHORIZED,
  VOID_AFTER_CAPTURE,
  VOID_WITHOUT_KASSA,
  STRANGER,
  TWO_CHANNELS,
)
