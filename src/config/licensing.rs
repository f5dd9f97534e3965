//! Completes the license policy: the settings on top of a preset from `config/presets`.

use super::ConfigError;
use super::raw::{RawException, RawLicense, Vendored};
use crate::license::{Class, Expression};
use crate::policy::{Exception, LicensePolicy, LicenseTerm, RULES, Topic};
use crate::text::nearest;

const PRESETS: &[(&str, &str)] = &[
    ("permissive", include_str!("../../config/presets/permissive.toml")),
    ("weak-copyleft", include_str!("../../config/presets/weak-copyleft.toml")),
    ("closed", include_str!("../../config/presets/closed.toml")),
    ("gpl-2", include_str!("../../config/presets/gpl-2.toml")),
    ("gpl-3", include_str!("../../config/presets/gpl-3.toml")),
];

/// The license of a project that is not to be judged by any, as SPDX writes it.
const NO_PROJECT: &str = "NOASSERTION";

pub(super) fn licenses(raw: &RawLicense, file: &str) -> Result<LicensePolicy, ConfigError> {
    let preset =
        raw.preset.as_deref().map(|name| preset(name, file)).transpose()?.unwrap_or_default();
    let has_no_project = raw.project_license.as_deref() == Some(NO_PROJECT);
    let project = raw.project_license.as_ref().or(preset.project_license.as_ref());
    let project = project.filter(|_| !has_no_project);
    let project = project.map(|text| expression("license.project-license", text, file));
    let exceptions = raw.exceptions.iter().map(|of| exception(of, file));
    Ok(LicensePolicy {
        project: project.transpose()?,
        allow: terms("license.allow", [&preset.allow, &raw.allow], file)?,
        deny: terms("license.deny", [&preset.deny, &raw.deny], file)?,
        exceptions: exceptions.collect::<Result<_, _>>()?,
        has_no_project,
        ..LicensePolicy::default()
    })
}

pub(super) fn check_vendored(folders: &[Vendored], file: &str) -> Result<(), ConfigError> {
    let mut declared = folders.iter().filter_map(|folder| folder.license.as_deref());
    declared.try_for_each(|text| expression("vendored.license", text, file).map(drop))
}

fn preset(name: &str, file: &str) -> Result<RawLicense, ConfigError> {
    let Some((_, text)) = PRESETS.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        let why = format!("there is no preset `{name}`; available: {}", names.join(", "));
        return Err(ConfigError::value_near(file, "license.preset", why, nearest(name, &names)));
    };
    Ok(super::file::part(text).expect("a test reads every preset"))
}

fn expression(key: &str, text: &str, file: &str) -> Result<Expression, ConfigError> {
    Expression::parse(text).ok_or_else(|| {
        let why = "is not an SPDX expression; write a license of your own as `LicenseRef-NAME`";
        ConfigError::value(file, key, format!("`{text}` {why}"))
    })
}

fn terms(key: &str, lists: [&Vec<String>; 2], file: &str) -> Result<Vec<LicenseTerm>, ConfigError> {
    let terms = lists.into_iter().flatten().map(|text| {
        LicenseTerm::parse(text).ok_or_else(|| {
            let classes = Class::ALL.map(|(_, name)| name);
            let why = format!(
                "`{text}` is not a license, a family of licenses or an SPDX expression; the classes are: {}",
                classes.join(", ")
            );
            ConfigError::value_near(file, key, why, nearest(text, &classes))
        })
    });
    terms.collect()
}

fn exception(raw: &RawException, file: &str) -> Result<Exception, ConfigError> {
    let key = "license.exceptions";
    let invalid = |why: &str| ConfigError::value(file, key, why);
    let RawException { path, origin, rule, reason, until } = raw.clone();
    if reason.trim().is_empty() {
        return Err(invalid("an exception needs a reason"));
    }
    if path.is_none() && origin.is_none() {
        return Err(invalid("an exception needs a `path` or an `origin`"));
    }
    let rules = Vec::from_iter(RULES.iter().copied().filter(|rule| rule.topic == Topic::License));
    let rule = rule.map(|id| {
        rules.iter().copied().find(|rule| rule.id == id).ok_or_else(|| {
            let known: Vec<&str> = rules.iter().map(|rule| rule.id).collect();
            let why = format!("`{id}` is not a license rule; available: {}", known.join(", "));
            ConfigError::value_near(file, key, why, nearest(&id, &known))
        })
    });
    let rule = rule.transpose()?;
    let until = until.as_deref().map(str::parse).transpose();
    let until = until.map_err(|why: String| invalid(&why))?;
    Ok(Exception { path, origin, rule, reason, until })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_used() {
        for (name, _) in PRESETS {
            let raw = RawLicense { preset: Some((*name).to_owned()), ..RawLicense::default() };
            let policy = licenses(&raw, "a test").unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!policy.deny.is_empty(), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (settings, why) in [
            ("preset = 'lax'", "there is no preset `lax`"),
            ("project-license = 'ours'", "`ours` is not an SPDX expression"),
            ("deny = ['strong-copyloft']", "a family of licenses"),
            ("exceptions = [{ path = 'src', reason = '' }]", "needs a reason"),
            ("exceptions = [{ reason = 'we asked' }]", "a `path` or an `origin`"),
            ("exceptions = [{ path = 'a', reason = 'b', until = 'soon' }]", "`soon` is not a date"),
        ] {
            let raw: RawLicense = toml::from_str(settings).expect("it has the form of a policy");
            let error = licenses(&raw, "`secondhand.toml`").expect_err("it is wrong");
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
