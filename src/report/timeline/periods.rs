//! Adds up figures by month, or by longer periods where there are too many months for a chart.

use super::TrendPoint;
use crate::audit::Period;

/// Maximum periods: as many bars as can be told apart.
const MAX_PERIODS: usize = 240;
/// Months of a period, the shortest that fits is taken; and its name.
const LENGTHS: &[(i32, &str)] =
    &[(1, "month"), (3, "quarter"), (12, "year"), (120, "decade"), (12_000, "millennium")];
/// Months between two dates below a chart.
const STEPS: &[i32] = &[1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 12_000, 60_000];
/// Maximum dates below a chart: of months, and of years, whose names are shorter. So many fit on a
/// phone.
const MAX_MONTHS: i32 = 5;
const MAX_YEARS: i32 = 9;

/// Periods of equal length without a gap, the oldest first.
#[derive(Default)]
pub(super) struct Periods {
    pub periods: Vec<Period>,
    /// What each of them is called.
    pub length: &'static str,
    /// Where dates are below a chart of them, as parts of its length.
    pub dates: Vec<(f64, String)>,
}

impl Periods {
    /// The periods of some commits. Commits whose time is beyond all calendars are left out.
    pub fn new(points: &[TrendPoint<'_>]) -> Self {
        let with_month =
            points.iter().filter_map(|point| Some((month(point.judged.info.time)?, point)));
        let months: Vec<(i32, &TrendPoint<'_>)> = with_month.collect();
        let (Some(first), Some(last)) =
            (months.iter().map(|of| of.0).min(), months.iter().map(|of| of.0).max())
        else {
            return Self::default();
        };
        let shortest = LENGTHS.iter().copied().find(|(months, _)| {
            ((last.div_euclid(*months) - first.div_euclid(*months)) as usize) < MAX_PERIODS
        });
        let (months_each, length) = shortest.unwrap_or(LENGTHS[LENGTHS.len() - 1]);
        let (from, to) = (first.div_euclid(months_each), last.div_euclid(months_each));
        let mut periods: Vec<Period> = (from..=to)
            .map(|at| Period { name: name(at * months_each, months_each), ..Period::default() })
            .collect();
        for (month, point) in months {
            let period = &mut periods[(month.div_euclid(months_each) - from) as usize];
            period.n_commits += 1;
            period.n_novel += point.judged.n_novel;
            period.n_copied += point.n_copied;
        }
        let (start, end) = (from * months_each, (to + 1) * months_each);
        let mut steps = STEPS.iter().copied().filter(|&step| step >= months_each);
        let step = steps.find(|step| {
            (end - start) / step < if step % 12 == 0 { MAX_YEARS } else { MAX_MONTHS }
        });
        let step = step.unwrap_or(STEPS[STEPS.len() - 1]);
        let dates = (start.div_euclid(step)..=end.div_euclid(step)).map(|at| at * step);
        let dates = dates.filter(|month| (start..end).contains(month));
        let dates = dates.map(|month| {
            // Thousandths are exact enough for a chart.
            let part = (month - start) as f64 / (end - start) as f64 * 1_000.0;
            (part.round() / 1_000.0, name(month, step))
        });
        Self { periods, length, dates: dates.collect() }
    }
}

/// The number of the month of a time, counted from the year 0.
fn month(time: i64) -> Option<i32> {
    let date = jiff::Timestamp::from_second(time).ok()?.to_zoned(jiff::tz::TimeZone::UTC).date();
    Some(i32::from(date.year()) * 12 + i32::from(date.month()) - 1)
}

/// The name of the month with this number, or of its year if steps are of whole years.
fn name(month: i32, step: i32) -> String {
    let year = month.div_euclid(12);
    if step % 12 == 0 {
        year.to_string()
    } else {
        format!("{year}-{:02}", month.rem_euclid(12) + 1)
    }
}
