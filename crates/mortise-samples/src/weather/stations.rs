//! Invented weather.

#[derive(Debug)]
pub(super) struct Station {
    pub(super) city: &'static str,
    pub(super) country: &'static str,
    /// Tenths of a degree Celsius.
    tenths: i32,
    pub(super) conditions: &'static str,
    pub(super) humidity: u8,
    pub(super) wind_kmh: u8,
    pub(super) wind_from: &'static str,
    pub(super) climate: &'static str,
}

impl Station {
    pub(super) fn celsius(&self) -> f64 {
        f64::from(self.tenths) / 10.0
    }

    /// The same in degrees Fahrenheit, to a tenth.
    pub(super) fn fahrenheit(&self) -> f64 {
        f64::from(self.tenths * 18 / 10 + 320) / 10.0
    }
}

#[rustfmt::skip]
pub(super) const STATIONS: &[Station] = &[
    Station { city: "Berlin", country: "Germany", tenths: 112, conditions: "cloudy", humidity: 71, wind_kmh: 14, wind_from: "W", climate: "Berlin has warm summers, cold winters and rain at any time." },
    Station { city: "Cairo", country: "Egypt", tenths: 318, conditions: "sunny", humidity: 24, wind_kmh: 11, wind_from: "N", climate: "Cairo is hot and dry; rain falls on a few days in winter." },
    Station { city: "Lima", country: "Peru", tenths: 189, conditions: "fog", humidity: 88, wind_kmh: 9, wind_from: "S", climate: "Lima is mild and grey for half the year and almost never sees rain." },
    Station { city: "Nairobi", country: "Kenya", tenths: 224, conditions: "partly cloudy", humidity: 58, wind_kmh: 16, wind_from: "E", climate: "Nairobi is mild all year with two rainy seasons." },
    Station { city: "Oslo", country: "Norway", tenths: -34, conditions: "snow", humidity: 83, wind_kmh: 7, wind_from: "NE", climate: "Oslo has mild summers and snow from December to March." },
    Station { city: "San Francisco", country: "United States", tenths: 156, conditions: "partly cloudy", humidity: 77, wind_kmh: 22, wind_from: "W", climate: "San Francisco is cool all year, with fog in summer and rain in winter." },
    Station { city: "Singapore", country: "Singapore", tenths: 307, conditions: "thunderstorm", humidity: 84, wind_kmh: 12, wind_from: "SW", climate: "Singapore is hot and humid, with rain on every second day." },
    Station { city: "Wellington", country: "New Zealand", tenths: 143, conditions: "windy", humidity: 74, wind_kmh: 48, wind_from: "NW", climate: "Wellington is mild, and windy on most days." },
];
