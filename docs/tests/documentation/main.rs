//! The written documentation: its pages, and the tables that are computed for them.

mod cuts;
mod pages;
