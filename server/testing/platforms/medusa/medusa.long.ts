/** The plug-in for Medusa on a real Medusa. */
import {
  LATE_AUTHORIZED,
  PART_CAPTURED_OUTSIDE,
  refundDuringAnother,
  SLOW_KASSA,
  UNKNOWN_TO_KASSA,
  VOID_AFTER_CAPTURE,
} from '../hard-cases.ts'
import { runScenarios } from '../platforms.suite.ts'
import { CAPTURE_OF_A_PART, CHANGED_AFTER_PAYING, REFUNDS_AT_ONCE } from '../scenarios.ts'
import { MEDUSA } from './driver.ts'

runScenarios(
  MEDUSA,
  CHANGED_AFTER_PAYING,
  CAPTURE_OF_A_PART,
  REFUNDS_AT_ONCE,
  SLOW_KASSA,
  UNKNOWN_TO_KASSA,
  refundDuringAnother(false),
  PART_CAPTURED_OUTSIDE,
  LATE_AUTHORIZED,
  VOID_AFTER_CAPTURE,
)
