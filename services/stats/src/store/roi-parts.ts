/**
 * ROI is summed in two parts, a multiple of this number and the rest. A part of one fact is at most 2^26 in size, as ROI
 * is a safe integer. So sums stay safe integers for 2^27 signals (134 million), even with the largest possible ROI.
 */
const coarseRoi = 2 ** 27;

/** The coarse and the fine part of a ROI in hundredths of a percent, each to be summed by itself. */
export function partsOf(roi: number): readonly [coarse: number, fine: number] {
  const coarse = Math.round(roi / coarseRoi);
  return [coarse, roi - coarse * coarseRoi];
}

/** The sum of ROI, from the sums of its parts. */
export function sumOfParts(coarse: number, fine: number): bigint {
  return BigInt(coarse) * BigInt(coarseRoi) + BigInt(fine);
}
